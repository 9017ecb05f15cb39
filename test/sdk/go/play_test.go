package stack

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

func play(t *testing.T, c *client, method protoreflect.MethodDescriptor, s step, kept map[string]string) {
	if s.Scenario != "" {
		control(t, http.MethodPost, "/scenarios", map[string]string{"name": s.Scenario})
		defer control(t, http.MethodDelete, "/scenarios", nil)
	}
	message := fill(s.Send, kept)
	if s.Pages != "" {
		readPages(t, c, method, message.(map[string]any), s.Pages)
		return
	}
	answer, err := c.call(method, message)
	if s.Fails != "" {
		checkFailure(t, c, err, s)
		return
	}
	if err != nil {
		t.Fatalf("%v %s", err, show(detailsOf(t, c, err)))
	}
	for path, wanted := range s.Has {
		if found := at(answer, path); found == nil || wanted != "*" && found != fill(wanted, kept) {
			t.Errorf("%s is %v, not %v, in %s", path, found, wanted, show(answer))
		}
	}
	for name, path := range s.Keep {
		value, isText := at(answer, path).(string)
		if !isText {
			t.Fatalf("no %s in %s", path, show(answer))
		}
		kept[name] = value
	}
}

// readPages reads a list one row at a time, and expects the same rows as in a page of the default size.
func readPages(t *testing.T, c *client, method protoreflect.MethodDescriptor, message map[string]any, rows string) {
	all := ask(t, c, method, message, 0, "")
	want, _ := at(all, rows).([]any)
	if len(want) < 2 {
		t.Fatalf("%d rows make no pages: %s", len(want), show(all))
	}
	_, isMore := at(all, "nextPageToken").(string)
	page := ask(t, c, method, message, 1, "")
	for i := range want {
		found, _ := at(page, rows).([]any)
		if len(found) != 1 || show(found[0]) != show(want[i]) {
			t.Fatalf("page %d is %s, not %s", i+1, show(found), show(want[i]))
		}
		next, _ := at(page, "nextPageToken").(string)
		if i < len(want)-1 && next == "" || i == len(want)-1 && (next != "") != isMore {
			t.Fatalf("page %d of %d has nextPageToken %q", i+1, len(want), next)
		}
		if i < len(want)-1 {
			page = ask(t, c, method, message, 1, next)
		}
	}
}

func ask(t *testing.T, c *client, method protoreflect.MethodDescriptor, message map[string]any, size int, token string) any {
	t.Helper()
	sent := map[string]any{}
	for name, value := range message {
		sent[name] = value
	}
	if size > 0 {
		sent["pageSize"] = size
	}
	if token != "" {
		sent["pageToken"] = token
	}
	answer, err := c.call(method, sent)
	if err != nil {
		t.Fatalf("%v %s", err, show(detailsOf(t, c, err)))
	}
	return answer
}

// checkFailure checks the code of an error and the details that callers of the SDK read.
func checkFailure(t *testing.T, c *client, err error, s step) {
	t.Helper()
	if err == nil {
		t.Fatalf("succeeded, wants %s", s.Fails)
	}
	code := strings.ToUpper(connect.CodeOf(err).String())
	details := detailsOf(t, c, err)
	if code != s.Fails {
		t.Errorf("%s, wants %s: %v %s", code, s.Fails, err, show(details))
	}
	if failure := new(connect.Error); errors.As(err, &failure) && s.Says != "" && failure.Message() != s.Says {
		t.Errorf("says %q, wants %q", failure.Message(), s.Says)
	}
	info := at(details, "0")
	wanted := s.ErrorCode
	if wanted == "" && s.Scenario == "rate-limit-once" {
		wanted = "RATE_LIMITED"
	}
	if found, _ := at(info, "errorCode").(string); found == "" || wanted != "" && found != wanted {
		t.Errorf("errorCode is %q, wants %q: %s", found, wanted, show(details))
	}
	if s.Tool != "" && at(info, "toolErrorInfo.toolErrorCode") != s.Tool {
		t.Errorf("no tool error %s in %s", s.Tool, show(info))
	}
	if s.Fails == "INVALID_ARGUMENT" && s.ErrorCode+s.Says == "" && at(info, "validationErrorInfo.fieldViolations.0") == nil {
		t.Errorf("no violation of a field in %s", show(info))
	}
}

// detailsOf returns the details of an error.
func detailsOf(t *testing.T, c *client, err error) any {
	t.Helper()
	var failure *connect.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%v is no *connect.Error", err)
	}
	found := []any{}
	for _, detail := range failure.Details() {
		kind, err := c.types.FindMessageByName(protoreflect.FullName(detail.Type()))
		if err != nil {
			t.Fatalf("detail %s: %v", detail.Type(), err)
		}
		message := kind.New().Interface()
		if err := proto.Unmarshal(detail.Bytes(), message); err != nil {
			t.Fatal(err)
		}
		told, err := c.read(message)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, told)
	}
	return found
}

// checkAllCalled fails for each implemented RPC that no step calls.
func checkAllCalled(t *testing.T, c *client, called map[string]bool) {
	text, err := os.ReadFile("../stack/uncalled.json")
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	if err := json.Unmarshal(text, &reasons); err != nil {
		t.Fatal(err)
	}
	for name, method := range c.methods() {
		if called[name] || reasons[name] != "" {
			continue
		}
		_, err := c.call(method, map[string]any{})
		if connect.CodeOf(err) != connect.CodeUnimplemented || len(detailsOf(t, c, err).([]any)) == 0 {
			t.Errorf("%s is called nowhere: %v", name, err)
		}
	}
}
