package understudytest

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/understudytest/understudy"
)

func TestTwoEnvironmentsAreIsolated(t *testing.T) {
	t.Parallel()
	sim := Service(t)
	one, other := sim.Environment(t), sim.Environment(t)

	one.State.Patch("organizations", acme, Row{"display_name": "Acme AG"})

	equal(t, one.State.Get("organizations", acme)["display_name"], any("Acme AG"))
	if other.State.Get("organizations", acme)["display_name"] == "Acme AG" || one.ClientID == other.ClientID {
		t.Error("the environments share rows or credentials")
	}
}

func TestTheEndOfATestDropsItsEnvironments(t *testing.T) {
	t.Parallel()
	sim := Service(t)
	var names []string
	t.Run("inner", func(t *testing.T) {
		env := sim.Environment(t)
		names = append(names, env.Name, env.Fork().Name)
	})

	for _, each := range sim.EnvironmentNames(t) {
		if slices.Contains(names, each) {
			t.Errorf("%s is still there", each)
		}
	}
}

func TestAnEnvironmentHasTheOptions(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 9, 0, 0, 0, time.UTC)

	env := Start(t, WithName("with-options"), WithFixture("empty"), WithSeed(7), WithScenario("rate-limit-once"),
		WithClock(at), WithStrict())

	equal(t, env.Name, "with-options")
	equal(t, len(env.State.List("organizations")), 0)
	equal(t, env.Clock.Get().Now, at)
	equal(t, env.Scenarios.List().Loaded[0].Name, "rate-limit-once")
}

func TestAUserSignsInWithoutABrowser(t *testing.T) {
	t.Parallel()
	env := Start(t)

	tokens := env.SignIn("ravi@acme.example")

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, env.URL+"/userinfo", nil)
	check(t, err)
	request.Header.Set("Authorization", "Bearer "+tokens.Access)
	response, err := env.HTTPClient().Do(request)
	check(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	check(t, err)
	contains(t, string(text), "ravi@acme.example")
	equal(t, tokens.ID != "" && tokens.Refresh != "", true)
}

func TestARefusedSignInIsAnError(t *testing.T) {
	t.Parallel()
	env := Start(t)
	env.Scenarios.Load("sign-in-denied", Params{"error": "user_not_active"})

	_, err := env.Client.SignIn(t.Context(), "ravi@acme.example")

	failsWith(t, err, "ravi@acme.example was not signed in: user_not_active: the identity provider refused the user")
}

func TestARotationRetiresTheFormerKey(t *testing.T) {
	t.Parallel()
	env := Start(t)
	first := env.Token()

	rotated := env.RotateKeys(time.Hour)

	equal(t, len(rotated.Keys), 2)
	equal(t, rotated.Keys[0].Kid, rotated.Kid)
	equal(t, rotated.Keys[1].RetiresAt.IsZero(), false)
	equal(t, statusOf(env, first), http.StatusOK)
	equal(t, len(env.RotateKeys(0).Keys), 1)
	equal(t, statusOf(env, first), http.StatusUnauthorized)
	equal(t, statusOf(env, env.Token()), http.StatusOK)
}

// statusOf is the answer to a call with the token.
func statusOf(env *Environment, token string) int {
	env.t.Helper()
	request, err := http.NewRequestWithContext(env.t.Context(), http.MethodGet, env.URL+"/api/v1/organizations", nil)
	check(env.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := env.HTTPClient().Do(request)
	check(env.t, err)
	_ = response.Body.Close()
	return response.StatusCode
}

func TestAForkContinuesFromTheState(t *testing.T) {
	t.Parallel()
	env := Start(t)
	env.State.Patch("organizations", acme, Row{"display_name": "Acme AG"})

	fork := env.Fork()

	equal(t, fork.State.Get("organizations", acme)["display_name"], any("Acme AG"))
	if fork.Name == env.Name {
		t.Error("the fork is the environment")
	}
}

func TestTheClockCanBeMoved(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 9, 0, 0, 0, time.UTC)
	clock := Start(t).Clock

	equal(t, clock.Freeze(at).Now, at)
	equal(t, clock.Advance(25*time.Hour).Now, at.Add(25*time.Hour))
	equal(t, clock.SetOffset(-2*time.Hour).Offset(), -2*time.Hour)
	equal(t, clock.Set(at).Mode, "offset")
	equal(t, clock.Freeze(time.Time{}).Mode, "frozen")
	equal(t, clock.Real().Mode, "real")
}

func TestAScenarioAppliesWithItsParameters(t *testing.T) {
	t.Parallel()
	env := Start(t)
	env.Scenarios.Load("rate-limit-once", Params{"retry_after": 5, "operation": getOperation})

	refused := getOrganization(env, acme)

	equal(t, refused.StatusCode, http.StatusTooManyRequests)
	equal(t, refused.Header.Get("Retry-After"), "5")
	equal(t, getOrganization(env, acme).StatusCode, http.StatusOK)
	equal(t, env.Scenarios.Get("rate-limit-once").Rules[0].Hits, 1)
}

func TestScenariosCanBeYAMLAndBeUnloaded(t *testing.T) {
	t.Parallel()
	env := Start(t)
	env.Scenarios.LoadYAML("name: own\nrules: [{ on: OrganizationService_*, reply: { error: unavailable } }]\n")
	env.Scenarios.Load("rate-limit-once", Params{"operation": "UserService_*"})
	equal(t, getOrganization(env, acme).StatusCode, http.StatusServiceUnavailable)
	equal(t, len(env.Scenarios.List().Loaded), 2)

	env.Scenarios.Unload("own")

	equal(t, getOrganization(env, acme).StatusCode, http.StatusOK)
	env.Scenarios.Unload()
	equal(t, len(env.Scenarios.List().Loaded), 0)
}

func TestAMailHasItsCode(t *testing.T) {
	t.Parallel()
	env := Start(t)
	sendCode(env)

	mail := env.Mail.Wait(MailFilter{To: "*@acme.example", Kind: "passwordless"})

	if mail.Code == "" || !strings.Contains(mail.Text, mail.Code) {
		t.Errorf("no code in %+v", mail)
	}
	equal(t, env.Mail.List(MailFilter{})[0].ID, mail.ID)
	env.Mail.Clear()
	equal(t, len(env.Mail.List(MailFilter{To: "ada@acme.example"})), 0)
}

func TestCoverageCountsTheCallsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	env := Start(t)
	getOrganization(env, acme)

	coverage := env.Coverage()

	i := slices.IndexFunc(coverage.Operations, func(each understudy.CoveredOperation) bool { return each.ID == getOperation })
	equal(t, coverage.Operations[i].Calls, 1)
	equal(t, coverage.Summary.Operations.Total, len(coverage.Operations))
}

func TestCallReachesTheRestOfTheControlAPI(t *testing.T) {
	t.Parallel()
	env := Start(t)

	var counts struct{ Counts map[string]int }
	env.Call(http.MethodGet, "/state/counts", nil, &counts)

	equal(t, counts.Counts["organizations"], env.State.Counts()["organizations"])
}

func TestOutgoingCallsAreListed(t *testing.T) {
	t.Parallel()
	env := Start(t)

	equal(t, len(env.Outgoing.List(OutgoingFilter{Kind: "back_channel_logout"})), 0)
	_, err := env.Client.Outgoing.Wait(t.Context(), OutgoingFilter{Timeout: time.Millisecond})
	failsWith(t, err, "408")
	_, err = env.Client.Outgoing.Get(t.Context(), "out_1")
	equal(t, understudy.IsStatus(err, http.StatusNotFound), true)
}

func TestAScenarioIsAMapOrAFile(t *testing.T) {
	t.Parallel()
	env := Start(t)
	file := filepath.Join(t.TempDir(), "own.yaml")
	check(t, os.WriteFile(file, []byte("name: from-file\nrules: [{ on: UserService_*, reply: { error: unavailable } }]\n"), 0o600))
	rule := map[string]any{"on": getOperation, "reply": map[string]any{"error": "unavailable"}}

	env.Scenarios.LoadObject(map[string]any{"name": "from-map", "rules": []any{rule}})
	equal(t, env.Scenarios.LoadFile(file).Name, "from-file")

	equal(t, getOrganization(env, acme).StatusCode, http.StatusServiceUnavailable)
	check(t, os.WriteFile(file, []byte("name: from-file\nrules: [{ onn: x }]\n"), 0o600))
	_, err := env.Client.Scenarios.LoadFile(t.Context(), file)
	failsWith(t, err, file+": ")
}

func TestTheHeaderLeadsToTheEnvironment(t *testing.T) {
	t.Parallel()
	env := Start(t)
	env.Clock.Freeze(time.Time{})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, env.URL+"/_control/v1/clock", nil)
	check(t, err)
	request.Header.Set(Header, env.Name)

	response, err := http.DefaultClient.Do(request)

	check(t, err)
	defer func() { _ = response.Body.Close() }()
	var clock Clock
	check(t, json.NewDecoder(response.Body).Decode(&clock))
	equal(t, clock.Mode, "frozen")
	contains(t, env.BrowserURL, "http://"+env.Name+".localhost:")
}

func TestTheVariablesAreThoseOfTheSDK(t *testing.T) {
	t.Parallel()
	env := Start(t)
	variables := env.Variables()
	equal(t, variables["SCALEKIT_ENVIRONMENT_URL"], env.URL)
	equal(t, variables["SCALEKIT_CLIENT_SECRET"], env.ClientSecret)
}

func TestTheEnvironmentDefaultIsNotDropped(t *testing.T) {
	t.Parallel()
	sim := Service(t)
	t.Run("inner", func(t *testing.T) { equal(t, sim.Default(t).Name, "default") })
	equal(t, sim.Default(t).State.Get("organizations", acme)["id"], any(acme))
}
