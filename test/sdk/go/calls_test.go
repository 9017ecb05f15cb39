// Package stack calls a simulator with the packages that the official SDK for Go uses, in the same way: every
// RPC, with the steps of ../stack/calls, with and without TLS.
package stack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// step is one call and its expected result. A text `$NAME` is replaced by a value that an earlier step kept.
type step struct {
	Rpc string `json:"rpc"`
	// The request message, as JSON.
	Send any `json:"send"`
	// The shipped scenario that is loaded for this call only.
	Scenario string `json:"scenario"`
	// Values of the response to keep: a path for each name.
	Keep map[string]string `json:"keep"`
	// Expected values of the response by path; `*` matches any value.
	Has map[string]any `json:"has"`
	// The list in the response that is read page by page.
	Pages string `json:"pages"`
	// The code of the error, its message when it is a conflict, and the expected details.
	Fails     string `json:"fails"`
	Says      string `json:"says"`
	ErrorCode string `json:"errorCode"`
	Tool      string `json:"tool"`
	// On a line of its own: the kinds of responses that this area can't show, with the reason.
	Without map[string]string `json:"without"`
}

func TestCalls(t *testing.T) {
	for name, variable := range map[string]string{"http": "UNDERSTUDY_URL", "https": "UNDERSTUDY_TLS_URL"} {
		t.Run(name, func(t *testing.T) {
			c := open(t, variable)
			called := map[string]bool{}
			for _, file := range areas(t) {
				area := strings.TrimSuffix(filepath.Base(file), ".jsonl")
				t.Run(area, func(t *testing.T) { playArea(t, c, read(t, file), called) })
			}
			t.Run("leaves no RPC out", func(t *testing.T) { checkAllCalled(t, c, called) })
		})
	}
}

func open(t *testing.T, variable string) *client {
	t.Helper()
	c, err := newClient(os.Getenv(variable), os.Getenv("UNDERSTUDY_DESCRIPTORS"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func areas(t *testing.T) []string {
	files, err := filepath.Glob("../stack/calls/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no steps: %v", err)
	}
	return files
}

func read(t *testing.T, file string) (steps []step) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		one := step{Send: map[string]any{}}
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		steps = append(steps, one)
	}
	return steps
}

func playArea(t *testing.T, c *client, steps []step, called map[string]bool) {
	control(t, http.MethodPost, "/reset", nil)
	methods, kept := c.methods(), map[string]string{}
	for i, each := range steps {
		if each.Rpc == "" {
			continue
		}
		method, known := methods[each.Rpc]
		if !known {
			t.Fatalf("%s is no RPC", each.Rpc)
		}
		called[each.Rpc] = true
		t.Run(fmt.Sprintf("%d %s", i+1, each.Rpc), func(t *testing.T) { play(t, c, method, each, kept) })
	}
	checkWhole(t, steps)
}

// checkWhole expects that the steps of an area show every kind of response.
func checkWhole(t *testing.T, steps []step) {
	shown := map[string]bool{}
	for _, each := range steps {
		for kind := range each.Without {
			shown[kind] = true
		}
		shown["pages"] = shown["pages"] || each.Pages != ""
		shown["not found"] = shown["not found"] || each.Fails == "NOT_FOUND"
		shown["validation"] = shown["validation"] || each.Fails == "INVALID_ARGUMENT" && each.Says == ""
		shown["conflict"] = shown["conflict"] || each.Says != "" || each.Fails == "ALREADY_EXISTS"
		shown["limit"] = shown["limit"] || each.Scenario == "rate-limit-once"
	}
	for _, kind := range []string{"pages", "not found", "validation", "conflict", "limit"} {
		if !shown[kind] {
			t.Errorf("no step shows %q, and `without` has no reason", kind)
		}
	}
}

// control calls the control API.
func control(t *testing.T, verb, path string, body any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(verb, os.Getenv("UNDERSTUDY_CONTROL")+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s %s: %s", verb, path, response.Status)
	}
}
