package understudytest_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"understudy.example/understudytest"
	"understudy.example/understudytest/understudy"
)

// t is the test that the examples belong to.
var t testing.TB

func ExampleStart() {
	env := understudytest.Start(t)
	env.Scenarios.Load("rate-limit-once", understudytest.Params{"retry_after": 5})

	// Your code, with env.URL, env.ClientID and env.ClientSecret.

	env.Requests.Verify(understudytest.RequestMatch{Status: 429}, understudytest.Times(1))
}

func ExampleStart_options() {
	env := understudytest.Start(t,
		understudytest.WithScenarioFolder("testdata/scenarios"),
		understudytest.WithFixture("small"),
		understudytest.WithClock(time.Date(2030, 1, 1, 9, 0, 0, 0, time.UTC)),
	)
	env.Clock.Advance(25 * time.Hour)
}

func ExampleUnderstudy_Environment() {
	sim := understudytest.Service(t)
	one, other := sim.Environment(t), sim.Environment(t)
	fmt.Println(one.Name, other.Name)
}

func ExampleEnvironment_client() {
	env := understudytest.Start(t)

	_, err := env.Client.Scenarios.Load(t.Context(), "rate-limit-onse")

	var refusal *understudytest.ControlError
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Code)
	}
}

func ExampleStateControl_List() {
	env := understudytest.Start(t)

	members := env.State.List("memberships",
		understudytest.Where(understudytest.Row{"organization_id": "org_10000000000000001"}),
		understudytest.SortedBy("id"), understudytest.Limit(10),
	)
	fmt.Println(len(members))
}

func ExampleWebhookControl_Inbox() {
	env := understudytest.Start(t)
	inbox := env.Webhooks.Inbox("organization.*")

	env.Webhooks.Trigger("organization.created", understudytest.EventOptions{})

	webhook := inbox.Next("organization.created")
	if err := webhook.Verify(inbox.Secret); err != nil {
		t.Error(err)
	}
}

func Example_withoutTests() {
	ctx := t.Context()
	service, err := understudy.Connect(ctx, "http://localhost:8080")
	if err != nil {
		t.Fatal(err)
	}
	env, err := service.Environment(ctx, understudy.EnvironmentOptions{Fixture: "small"})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(env.URL, env.ClientID)
}
