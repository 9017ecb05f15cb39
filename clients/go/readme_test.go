package understudytest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	example = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	require = regexp.MustCompile(`(?m)^require .*$`)
)

// TestTheExamplesPass runs each example of the documentation that is a whole file, in a module of its own. An example
// with the official SDK is left out: its module could not be downloaded when this was written.
func TestTheExamplesPass(t *testing.T) {
	t.Parallel()
	sim := Start(t)
	count := 0
	for _, page := range []string{"clients/go/README.md", "docs/sdks.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		check(t, err)
		for i, block := range example.FindAllStringSubmatch(string(text), -1) {
			code := block[1]
			if !strings.HasPrefix(code, "package ") || strings.Contains(code, "scalekit-sdk-go") {
				continue
			}
			count++
			t.Run(fmt.Sprintf("%s %d", filepath.Base(page), i+1), func(t *testing.T) { runExample(t, sim, code) })
		}
	}
	if count < 4 {
		t.Errorf("%d examples were found", count)
	}
}

func runExample(t *testing.T, sim *Understudy, code string) {
	folder := t.TempDir()
	own, err := os.ReadFile("go.mod")
	check(t, err)
	sums, err := os.ReadFile("go.sum")
	check(t, err)
	here, err := os.Getwd()
	check(t, err)
	module := fmt.Sprintf("module example.test/shop\n\ngo 1.25.0\n\nrequire understudy.example/understudytest v0.0.0\n\n"+
		"replace understudy.example/understudytest => %s\n\n%s\n", here, require.Find(own))
	files := map[string]string{"go.mod": module, "go.sum": string(sums), "shop_test.go": code}
	for name, text := range files {
		check(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	run := exec.Command("go", "test", "-count=1", "-v", ".")
	run.Dir = folder
	run.Env = append(os.Environ(), "UNDERSTUDY_URL="+sim.URL, "PWD="+folder)

	output, err := run.CombinedOutput()

	if err != nil || !strings.Contains(string(output), "--- PASS: Test") {
		t.Errorf("%v\n%s", err, output)
	}
}
