package understudytest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Header selects an environment for a call without credentials: its value is the name of the environment.
const Header = "understudy-environment"

const journalLimit = 50

// Environment is an isolated copy of everything: rows, clock, scenarios, journal, mails and webhooks. It belongs to a
// test: if a call fails, it ends the test.
type Environment struct {
	Name string
	// URL, ClientID and ClientSecret are what the SDK is given. The credentials lead to this environment.
	URL, ClientID, ClientSecret string
	// TLSURL is the address with TLS, for HTTPClient.
	TLSURL string
	// BrowserURL is the address for a browser that has no credentials yet.
	BrowserURL string

	Clock     *ClockControl
	Scenarios *ScenarioControl
	State     *StateControl
	Requests  *RequestControl
	Mail      *MailControl
	Webhooks  *WebhookControl
	Snapshots *SnapshotControl
	Passkeys  *PasskeyControl

	sim     *Understudy
	control *control
}

// HTTPClient returns a client that trusts the certificate of Understudy besides those of the system.
func (env *Environment) HTTPClient() *http.Client { return env.sim.client }

// Fork copies the environment with its current state. The end of the test drops the copy.
func (env *Environment) Fork() *Environment {
	env.control.t.Helper()
	return env.sim.create(env.control.t, call{method: http.MethodPost, path: env.control.prefix + "/fork", body: struct{}{}})
}

// Reset goes back to the fixture: wholly, or only the parts state, requests, mail, webhooks, scenarios, clock.
func (env *Environment) Reset(parts ...string) {
	env.control.t.Helper()
	only := query(map[string]string{"only": strings.Join(parts, ",")})
	env.control.do(call{method: http.MethodPost, path: "/reset", query: only})
}

// Token returns an access token of the environment's own client, for code that is given a token.
func (env *Environment) Token() string {
	env.control.t.Helper()
	token, err := env.token()
	if err != nil {
		env.control.fail(fmt.Errorf("no token for %s: %w", env.ClientID, err))
	}
	return token
}

func (env *Environment) token() (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {env.ClientID}, "client_secret": {env.ClientSecret}}
	response, err := env.HTTPClient().PostForm(env.URL+"/oauth/token", form)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Token       string `json:"access_token"`
		Description string `json:"error_description"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", err
	}
	if answer.Token == "" {
		return "", fmt.Errorf("%s: %s", response.Status, answer.Description)
	}
	return answer.Token, nil
}

// Variables returns what programs give to the SDK, for testing.T.Setenv or a child process.
func (env *Environment) Variables() map[string]string {
	return map[string]string{
		"SCALEKIT_ENVIRONMENT_URL": env.URL,
		"SCALEKIT_ENV_URL":         env.URL,
		"SCALEKIT_CLIENT_ID":       env.ClientID,
		"SCALEKIT_CLIENT_SECRET":   env.ClientSecret,
	}
}

// Try returns the error of the first call in calls that fails, instead of ending the test. Do not use the environment
// in other goroutines meanwhile.
func (env *Environment) Try(calls func()) (err error) {
	env.control.failed.set(true)
	defer func() {
		env.control.failed.set(false)
		if thrown := recover(); thrown != nil {
			carried, isOurs := thrown.(tried)
			if !isOurs {
				panic(thrown)
			}
			err = carried.err
		}
	}()
	calls()
	return nil
}

// Call calls the control API of the environment for what this package has no method for, such as
// Call("GET", "/coverage?format=json", nil, &coverage). The body and the result may be nil.
func (env *Environment) Call(method, path string, body, result any) {
	env.control.t.Helper()
	env.control.do(call{method: method, path: path, body: body, result: result})
}

// Journal returns the latest calls as text: a line each, and the reasons below those that failed.
func (env *Environment) Journal() string {
	env.control.t.Helper()
	return journalText(env.Requests.List(RequestFilter{Limit: journalLimit}))
}

func (env *Environment) logJournal() {
	env.control.t.Helper()
	text := ""
	if err := env.Try(func() { text = env.Journal() }); err != nil {
		text = fmt.Sprintf("the journal cannot be read: %v", err)
	}
	env.control.t.Logf("Understudy journal of %s\n%s", env.Name, text)
}

// drop does nothing if the environment is already gone.
func (env *Environment) drop() {
	err := env.sim.service.do(call{method: http.MethodDelete, path: env.control.prefix})
	if err != nil && !isStatus(err, http.StatusNotFound) {
		env.control.t.Errorf("the environment %s cannot be dropped: %v", env.Name, err)
	}
}
