package understudytest

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// EnvironmentOptions say what an environment starts with. What is empty is as in the environment `default`.
type EnvironmentOptions struct {
	Name string `json:"name,omitzero"`
	// Fixture is the name of the rows to start with, such as small.
	Fixture string `json:"fixture,omitzero"`
	// Seed is the number that ids, secrets and random values come from.
	Seed int `json:"seed,omitzero"`
	// Scenarios are names, or scenarios as a map or a struct. Each reset loads them again.
	Scenarios []any `json:"scenarios,omitzero"`
	// Clock is the time at which the clock stands still.
	Clock time.Time `json:"-"`
	// Strict refuses request fields that the contract does not name.
	Strict bool `json:"strict,omitzero"`
}

// Environment creates an isolated environment. The end of the test drops it. If the test has failed, its log gets the
// journal of the environment.
func (sim *Understudy) Environment(t testing.TB) *Environment {
	t.Helper()
	return sim.EnvironmentWith(t, EnvironmentOptions{})
}

// EnvironmentWith does what Environment does, with options.
func (sim *Understudy) EnvironmentWith(t testing.TB, options EnvironmentOptions) *Environment {
	t.Helper()
	body := struct {
		EnvironmentOptions
		Clock *clockSetting `json:"clock,omitempty"`
	}{EnvironmentOptions: options}
	if !options.Clock.IsZero() {
		body.Clock = &clockSetting{Mode: "frozen", At: options.Clock}
	}
	return sim.create(t, call{method: http.MethodPost, path: "/environments", body: body})
}

// madeEnvironment is what the control API says about an environment.
type madeEnvironment struct {
	Name         string `json:"name"`
	BaseURL      string `json:"base_url"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`

	CreatedAt  string `json:"created_at"`
	LastUsedAt string `json:"last_used_at"`
	Rows       int    `json:"rows"`
	Requests   int    `json:"requests"`
	Resting    bool   `json:"resting"`
}

const environmentsInAPage = "1000"

// EnvironmentNames returns the names of all environments. Those at rest come last and stay at rest.
func (sim *Understudy) EnvironmentNames(t testing.TB) (names []string) {
	t.Helper()
	for since := ""; ; {
		var page struct {
			Environments []madeEnvironment `json:"environments"`
			Next         string            `json:"next"`
		}
		wanted := query(map[string]string{"limit": environmentsInAPage, "since": since})
		if err := sim.service.do(call{path: "/environments", query: wanted, result: &page}); err != nil {
			t.Fatal(err)
		}
		for _, each := range page.Environments {
			names = append(names, each.Name)
		}
		if since = page.Next; since == "" {
			return names
		}
	}
}

func (sim *Understudy) create(t testing.TB, wanted call) *Environment {
	t.Helper()
	var made madeEnvironment
	wanted.result = &made
	if err := sim.service.do(wanted); err != nil {
		t.Fatal(err)
	}
	env := newEnvironment(t, sim, made)
	t.Cleanup(func() {
		if t.Failed() {
			env.logJournal()
		}
		env.drop()
	})
	return env
}

func newEnvironment(t testing.TB, sim *Understudy, made madeEnvironment) *Environment {
	c := &control{t: t, service: sim.service, prefix: "/environments" + path(made.Name), failed: &failureHandler{}}
	return &Environment{
		Name: made.Name, URL: sim.URL, ClientID: made.ClientID, ClientSecret: made.ClientSecret,
		TLSURL: sim.TLSURL, BrowserURL: browserURL(sim.URL, made.Name),
		Clock: &ClockControl{c}, Scenarios: &ScenarioControl{c}, State: &StateControl{control: c},
		Requests: &RequestControl{c}, Mail: &MailControl{c}, Webhooks: &WebhookControl{c}, Snapshots: &SnapshotControl{c}, Passkeys: &PasskeyControl{c},
		sim: sim, control: c,
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
