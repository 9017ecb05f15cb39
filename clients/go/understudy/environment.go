package understudy

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// Header selects an environment for a call without credentials: its value is the name of the environment.
const Header = "understudy-environment"

const journalLimit = 50

// Environment is an isolated copy of everything: rows, clock, scenarios, journal, mails and webhooks.
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
	Outgoing  *OutgoingControl
	Snapshots *SnapshotControl
	Passkeys  *PasskeyControl

	service *Service
	control *control
}

func newEnvironment(service *Service, made madeEnvironment) *Environment {
	c := &control{service: service.service, prefix: "/environments" + path(made.Name)}
	return &Environment{
		Name: made.Name, URL: service.URL, ClientID: made.ClientID, ClientSecret: made.ClientSecret,
		TLSURL: service.TLSURL, BrowserURL: browserURL(service.URL, made.Name),
		Clock: &ClockControl{c}, Scenarios: &ScenarioControl{c}, State: &StateControl{control: c},
		Requests: &RequestControl{c}, Mail: &MailControl{c}, Webhooks: &WebhookControl{c}, Outgoing: &OutgoingControl{c},
		Snapshots: &SnapshotControl{c}, Passkeys: &PasskeyControl{c},
		service: service, control: c,
	}
}

func browserURL(address, name string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return address
	}
	host := name + ".localhost"
	if name == "default" {
		host = "localhost"
	}
	if port := parsed.Port(); port != "" {
		host += ":" + port
	}
	return parsed.Scheme + "://" + host
}

// HTTPClient returns a client that trusts the certificate of Understudy besides those of the system.
func (env *Environment) HTTPClient() *http.Client { return env.service.client }

// Fork copies the environment with its current state.
func (env *Environment) Fork(ctx context.Context) (*Environment, error) {
	return env.ForkAt(ctx, "")
}

// ForkAt copies the environment as it was: after a request such as req_17, at a time, or after a number of commits.
func (env *Environment) ForkAt(ctx context.Context, moment string) (*Environment, error) {
	body := struct {
		At string `json:"at,omitempty"`
	}{moment}
	wanted := call{method: http.MethodPost, path: env.control.prefix + "/fork", body: body}
	return env.service.environment(ctx, wanted)
}

// KeptTest is a test that has ended: its name with its file, and its outcome, failed or passed.
type KeptTest struct {
	Test    string `json:"test"`
	Outcome string `json:"outcome"`
}

const longestTestName = 1000

// Keep keeps the environment for a test that has ended, so that `understudy requests --test` and the dashboard find it.
// The environments of 50 tests are kept, and the next one drops the oldest.
func (env *Environment) Keep(ctx context.Context, test KeptTest) error {
	test.Test = cut(test.Test, longestTestName)
	return env.control.do(ctx, call{method: http.MethodPost, path: "/keep", body: test})
}

// Drop ends the environment. It does nothing if the environment is already gone.
func (env *Environment) Drop(ctx context.Context) error {
	err := env.control.do(ctx, call{method: http.MethodDelete})
	if IsStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// Reset goes back to the fixture: wholly, or only the parts state, requests, mail, webhooks, scenarios, clock.
func (env *Environment) Reset(ctx context.Context, parts ...string) error {
	only := query(map[string]string{"only": strings.Join(parts, ",")})
	return env.control.do(ctx, call{method: http.MethodPost, path: "/reset", query: only})
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

// Call calls the control API of the environment for what this package has no method for, such as
// Call(ctx, "GET", "/timeline", nil, &timeline). The body and the result may be nil.
func (env *Environment) Call(ctx context.Context, method, path string, body, result any) error {
	return env.control.do(ctx, call{method: method, path: path, body: body, result: result})
}

// Journal returns the latest calls as text: a line each, and the reasons below those that failed.
func (env *Environment) Journal(ctx context.Context) (string, error) {
	calls, err := env.Requests.List(ctx, RequestFilter{Limit: journalLimit, Why: true})
	if err != nil {
		return "", err
	}
	return journalText(calls), nil
}
