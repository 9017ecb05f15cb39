package understudytest

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"understudy.example/understudytest/understudy"
)

func TestCallsCanBeListedFoundAndCleared(t *testing.T) {
	t.Parallel()
	env := Start(t)
	getOrganization(env, acme)
	getOrganization(env, noOrganization)

	equal(t, len(env.Requests.List(RequestFilter{Operation: getOperation})), 2)
	missed := env.Requests.Find(RequestFilter{StatusClass: "4xx"})
	equal(t, missed.Path, "/api/v1/organizations/"+noOrganization)
	equal(t, env.Requests.Find(RequestFilter{Status: 404}).ID, missed.ID)
	equal(t, env.Requests.Get(missed.ID).Status, 404)
	earlier := env.Requests.List(RequestFilter{Operation: getOperation, Before: missed.ID})
	equal(t, earlier[0].Path, "/api/v1/organizations/"+acme)
	named := RequestFilter{Contains: acme + " http", Protocol: "http/*", Caller: "*", Status: 200}
	equal(t, env.Requests.Find(named).Caller.ClientID != "", true)
	equal(t, len(env.Requests.List(RequestFilter{Caller: "usr_*"})), 0)
	env.Requests.Clear()
	if found := env.Requests.Find(RequestFilter{Operation: getOperation}); found != nil {
		t.Errorf("%s is still there", found.ID)
	}
}

func TestWaitReturnsCallsThatCame(t *testing.T) {
	t.Parallel()
	env := Start(t)
	getOrganization(env, acme)
	getOrganization(env, acme)
	equal(t, len(env.Requests.Wait(RequestFilter{Operation: getOperation, Count: 2})), 2)
}

func TestWaitSaysWhatCameInstead(t *testing.T) {
	t.Parallel()
	env := Start(t)
	getOrganization(env, acme)

	_, err := env.Client.Requests.Wait(t.Context(), RequestFilter{Operation: "UserService_*", Timeout: time.Millisecond})

	failsWith(t, err, "GET /api/v1/organizations/"+acme+" 200")
}

func TestVerifyCountsCalls(t *testing.T) {
	t.Parallel()
	env := Start(t)
	send(env, http.MethodPost, "/api/v1/organizations", map[string]string{"display_name": "Globex"})
	create := RequestMatch{Operation: "OrganizationService_CreateOrganization"}

	equal(t, env.Requests.Verify(create, Times(1)), 1)
	equal(t, env.Requests.Verify(create, AtLeast(1), AtMost(2)), 1)
	_, err := env.Client.Requests.Verify(t.Context(), create, Times(0))
	failsWith(t, err, "those that match: req_")
	create.Body = map[string]any{"display_name": "Hooli"}
	_, err = env.Client.Requests.Verify(t.Context(), create)
	failsWith(t, err, "the nearest:")
	if !regexp.MustCompile(`body.display_name  expected "Hooli"\n +was +"Globex"`).MatchString(err.Error()) {
		t.Error(err)
	}
	equal(t, understudy.IsStatus(err, http.StatusUnprocessableEntity), true)
}

func TestARemedyIsAppliedWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	env := Start(t)
	getOrganization(env, noOrganization)
	refused := env.Requests.Find(RequestFilter{Status: 404})

	remedies := env.Requests.Remedies(refused.ID)
	done := env.Requests.Fix(refused.ID, remedies[0].Number)

	equal(t, remedies[0].Text, "Create organizations/"+noOrganization+".")
	equal(t, done.Status, 200)
	equal(t, env.State.Get("organizations", noOrganization)["id"], any(noOrganization))
}

func TestATraceShowsWhatACallCaused(t *testing.T) {
	t.Parallel()
	env := Start(t)
	send(env, http.MethodPost, "/api/v1/organizations", map[string]string{"display_name": "Globex"})
	created := env.Requests.Find(RequestFilter{Operation: "OrganizationService_CreateOrganization"})

	trace := env.Requests.Trace(created.ID)

	equal(t, trace.Steps[0].Call, created.ID)
	equal(t, trace.Steps[2].Kind, "event")
	_, event, _ := strings.Cut(trace.Steps[2].Row, "/")
	equal(t, env.Requests.Trace(event).Call, created.ID)
}

func TestExplainSaysWhyACallWasAnsweredSo(t *testing.T) {
	t.Parallel()
	env := Start(t)
	env.Scenarios.Load("rate-limit-once", Params{"operation": getOperation})
	why := func(response *http.Response) string {
		return env.Requests.Explain(response.Header.Get("understudy-request-id"))
	}

	limited := why(getOrganization(env, acme))
	contains(t, limited, "GET /api/v1/organizations/"+acme+" 429 "+getOperation)
	contains(t, limited, "Rule 0 of scenario rate-limit-once answered 429")
	created := why(send(env, http.MethodPost, "/api/v1/organizations", map[string]string{"display_name": "Globex", "colour": "red"}))
	contains(t, created, "unknown fields: colour")
	contains(t, created, "change: add /organizations/org_")
	contains(t, why(send(env, http.MethodPost, "/api/v1/organizations", struct{}{})), "breaks the contract: organization.display_name: ")
}

func TestTheFirstCallOfTheSDKForNodeIsNoFailure(t *testing.T) {
	t.Parallel()
	env := Start(t)
	request, _ := http.NewRequest(http.MethodGet, env.URL+"/api/v1/users", nil)
	request.Header.Set("X-Sdk-Version", "Scalekit-Node/2.11.0")
	request.Header.Set(Header, env.Name)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()

	contains(t, env.Journal(), "This is no failure")
}

func TestTheJournalIsText(t *testing.T) {
	t.Parallel()
	env := Start(t)
	getOrganization(env, acme)
	getOrganization(env, noOrganization)

	lines := strings.Split(env.Journal(), "\n")

	last := lines[len(lines)-2:]
	contains(t, last[0], "GET /api/v1/organizations/"+noOrganization+" 404 "+getOperation+" (req_")
	contains(t, last[1], "  No organization has the id "+noOrganization)
	env.Requests.Clear()
	equal(t, env.Journal(), "no calls")
}
