package understudytest

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

func TestAnUnknownScenarioIsNamedWithTheNearest(t *testing.T) {
	t.Parallel()
	env := Start(t)

	_, err := env.Client.Scenarios.Load(t.Context(), "rate-limit-onse")

	failsWith(t, err, "did you mean rate-limit-once")
	var refusal *ControlError
	if !errors.As(err, &refusal) || refusal.Code != "RESOURCE_NOT_FOUND" || refusal.Status != http.StatusNotFound {
		t.Errorf("%#v", err)
	}
}

func TestEveryViolationIsInTheMessage(t *testing.T) {
	t.Parallel()
	env := Start(t)

	_, err := env.Client.State.Patch(t.Context(), "organizations", acme, Row{"display_name": 7})

	failsWith(t, err, "display_name")
	failsWith(t, err, "PATCH http")
	var refusal *ControlError
	errors.As(err, &refusal)
	contains(t, refusal.Violations[0].Field, "display_name")
}

func TestAWaitListsTheOtherMails(t *testing.T) {
	t.Parallel()
	env := Start(t)
	sendCode(env)

	_, err := env.Client.Mail.Wait(t.Context(), MailFilter{To: "nobody@acme.example", Timeout: time.Millisecond})

	failsWith(t, err, `other mail: passwordless to ada@acme.example, "`)
}

func TestARefusedTokenIsAnError(t *testing.T) {
	t.Parallel()
	env := Start(t)
	env.Client.ClientSecret = "wrong"
	_, err := env.Client.Token(t.Context())
	failsWith(t, err, "no token for")
}

func TestACallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	env := Start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := env.Client.Mail.Wait(ctx, MailFilter{Timeout: time.Hour})

	equal(t, errors.Is(err, context.Canceled), true)
}

func TestACallOfACleanupOutlivesTheContextOfTheTest(t *testing.T) {
	t.Parallel()
	mode := ""
	t.Run("inner", func(t *testing.T) {
		env := Start(t)
		t.Cleanup(func() { mode = env.Clock.Get().Mode })
	})
	equal(t, mode, "real")
}

func TestAnAddressWhereNothingListens(t *testing.T) {
	t.Parallel()
	const address = "http://127.0.0.1:1"

	began := time.Now()
	_, err := start(startOptions{url: address})

	failsWith(t, err, address)
	equal(t, errors.Is(err, ErrNotReachable), true)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s to say so", took)
	}
}
