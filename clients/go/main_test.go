package understudytest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	acme           = "org_10000000000000001"
	noOrganization = "org_99999999999999999"
	getOperation   = "OrganizationService_GetOrganization"
)

var root, _ = filepath.Abs("../..")

func command() []string { return []string{"node", filepath.Join(root, "dist", "understudy.js")} }

// The tests run the service of this checkout.
func TestMain(m *testing.M) {
	if os.Getenv("UNDERSTUDY_URL") == "" && os.Getenv("UNDERSTUDY_COMMAND") == "" {
		_ = os.Setenv("UNDERSTUDY_COMMAND", strings.Join(command(), " "))
	}
	Main(m)
}

// send is code that calls the service.
func send(env *Environment, method, path string, body any) *http.Response {
	env.t.Helper()
	text, err := json.Marshal(body)
	check(env.t, err)
	request, err := http.NewRequestWithContext(env.t.Context(), method, env.URL+path, bytes.NewReader(text))
	check(env.t, err)
	request.Header.Set("Authorization", "Bearer "+env.Token())
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := env.HTTPClient().Do(request)
	check(env.t, err)
	_ = response.Body.Close()
	return response
}

func getOrganization(env *Environment, id string) *http.Response {
	env.t.Helper()
	return send(env, http.MethodGet, "/api/v1/organizations/"+id, nil)
}

func sendCode(env *Environment) {
	env.t.Helper()
	send(env, http.MethodPost, "/api/v1/passwordless/email/send", map[string]string{"email": "ada@acme.example"})
}

func equal[T comparable](t testing.TB, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func contains(t testing.TB, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q is not in:\n%s", part, text)
	}
}

func failsWith(t testing.TB, err error, part string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", part)
	}
	contains(t, err.Error(), part)
}
