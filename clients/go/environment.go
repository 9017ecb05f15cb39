package understudytest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/understudytest/understudy"
)

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
	Outgoing  *OutgoingControl
	Snapshots *SnapshotControl
	Passkeys  *PasskeyControl

	// Client has the same calls with a context and an error that does not end the test.
	Client *understudy.Environment

	t testing.TB
	// isJoined says that the service was not started here, so that it runs longer than the tests.
	isJoined bool
}

func newEnvironment(t testing.TB, client *understudy.Environment) *Environment {
	return &Environment{
		Name: client.Name, URL: client.URL, ClientID: client.ClientID, ClientSecret: client.ClientSecret,
		TLSURL: client.TLSURL, BrowserURL: client.BrowserURL,
		Clock:     &ClockControl{t, client.Clock},
		Scenarios: &ScenarioControl{t, client.Scenarios},
		State:     &StateControl{t, client.State},
		Requests:  &RequestControl{t, client.Requests},
		Mail:      &MailControl{t, client.Mail},
		Webhooks:  &WebhookControl{t, client.Webhooks},
		Outgoing:  &OutgoingControl{t, client.Outgoing},
		Snapshots: &SnapshotControl{t, client.Snapshots},
		Passkeys:  &PasskeyControl{t, client.Passkeys},
		Client:    client, t: t,
	}
}

// owned is an environment that the end of the test drops, unless UNDERSTUDY_KEEP keeps it. If the test has failed, its log
// gets the journal, at the line that made the environment.
func owned(t testing.TB, client *understudy.Environment, isJoined bool) *Environment {
	t.Helper()
	env := newEnvironment(t, client)
	env.isJoined = isJoined
	name := nameOf(t)
	t.Cleanup(func() {
		t.Helper()
		journal, bundle := "", ""
		if t.Failed() {
			journal, bundle = env.journalText(), env.bundleLine(name)
		}
		isKept, err := env.end(name)
		if journal != "" {
			t.Logf("Understudy journal of %s\n%s\n%s", env.Name, journal, strings.TrimRight(env.place(isKept)+"\n"+bundle, "\n"))
		}
		if err != nil {
			t.Error(err)
		}
	})
	return env
}

// HTTPClient returns a client that trusts the certificate of Understudy besides those of the system.
func (env *Environment) HTTPClient() *http.Client { return env.Client.HTTPClient() }

// Fork copies the environment with its current state. The end of the test drops the copy.
func (env *Environment) Fork() *Environment {
	env.t.Helper()
	return owned(env.t, must(env.Client.Fork(within(env.t)))(env.t), env.isJoined)
}

// ForkAt copies the environment as it was: after a request such as req_17, at a time, or after a number of commits. The end of
// the test drops the copy.
func (env *Environment) ForkAt(moment string) *Environment {
	env.t.Helper()
	return owned(env.t, must(env.Client.ForkAt(within(env.t), moment))(env.t), env.isJoined)
}

// Reset goes back to the fixture: wholly, or only the parts state, requests, mail, webhooks, scenarios, clock.
func (env *Environment) Reset(parts ...string) {
	env.t.Helper()
	check(env.t, env.Client.Reset(within(env.t), parts...))
}

// RotateKeys signs new tokens with a new key. /keys lists the former ones until the overlap is over on the environment's
// clock; then their tokens are refused. If the overlap is zero, that is at once.
func (env *Environment) RotateKeys(overlap time.Duration) SigningKeys {
	env.t.Helper()
	return must(env.Client.RotateKeys(within(env.t), overlap))(env.t)
}

// Token returns an access token of the environment's own client, for code that is given a token.
func (env *Environment) Token() string {
	env.t.Helper()
	return must(env.Client.Token(within(env.t)))(env.t)
}

// SignIn signs a user in without a browser.
func (env *Environment) SignIn(email string) Tokens {
	env.t.Helper()
	return must(env.Client.SignIn(within(env.t), email))(env.t)
}

// Variables returns what programs give to the SDK, for testing.T.Setenv or a child process.
func (env *Environment) Variables() map[string]string { return env.Client.Variables() }

// TOTP returns the authenticator app of a user, by id or e-mail address.
func (env *Environment) TOTP(user string) *TOTPControl {
	return &TOTPControl{env.t, env.Client.TOTP(user)}
}

// Idp returns an identity provider: okta, entra, google or generic. If the name is empty, it is that of the directory
// that has the person.
func (env *Environment) Idp(provider string, options ...IdpOptions) *IdpControl {
	return &IdpControl{env.t, env.Client.Idp(provider, options...)}
}

// Coverage returns what the calls of the environment have used.
func (env *Environment) Coverage() Coverage {
	env.t.Helper()
	return must(env.Client.Coverage(within(env.t)))(env.t)
}

// Call calls the control API of the environment for what this package has no method for, such as
// Call("GET", "/timeline", nil, &timeline). The body and the result may be nil.
func (env *Environment) Call(method, path string, body, result any) {
	env.t.Helper()
	check(env.t, env.Client.Call(within(env.t), method, path, body, result))
}

// Journal returns the latest calls as text: a line each, and the reasons below those that failed.
func (env *Environment) Journal() string {
	env.t.Helper()
	return must(env.Client.Journal(within(env.t)))(env.t)
}

func (env *Environment) journalText() string {
	text, err := env.Client.Journal(within(env.t))
	if err != nil {
		return fmt.Sprintf("the journal cannot be read: %v", err)
	}
	return text
}

// within is the context of the test. It goes on in Cleanup functions, which also read mail and the journal.
func within(t testing.TB) context.Context {
	ctx := t.Context()
	if ctx.Err() != nil {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// must returns the value, or ends the test: must(call())(t).
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		check(t, err)
		return value
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
