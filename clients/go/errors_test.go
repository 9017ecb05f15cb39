package understudytest

import (
	"errors"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestAnUnknownScenarioIsNamedWithTheNearest(t *testing.T) {
	t.Parallel()
	env := Start(t).Environment(t)

	err := env.Try(func() { env.Scenarios.Load("rate-limit-onse") })

	failsWith(t, err, "did you mean rate-limit-once")
	var refusal *ControlError
	if !errors.As(err, &refusal) || refusal.Code != "RESOURCE_NOT_FOUND" || refusal.Status != http.StatusNotFound {
		t.Errorf("%#v", err)
	}
}

func TestEveryViolationIsInTheMessage(t *testing.T) {
	t.Parallel()
	env := Start(t).Environment(t)

	err := env.Try(func() { env.State.Patch("organizations", acme, Row{"display_name": 7}) })

	failsWith(t, err, "display_name")
	failsWith(t, err, "PATCH http")
	var refusal *ControlError
	errors.As(err, &refusal)
	contains(t, refusal.Violations[0].Field, "display_name")
}

func TestAWaitListsTheOtherMails(t *testing.T) {
	t.Parallel()
	env := Start(t).Environment(t)
	sendCode(env)

	err := env.Try(func() { env.Mail.Wait(MailFilter{To: "nobody@acme.example", Timeout: time.Millisecond}) })

	failsWith(t, err, `other mail: passwordless to ada@acme.example, "`)
}

func TestARefusedTokenIsAnError(t *testing.T) {
	t.Parallel()
	env := Start(t).Environment(t)
	env.ClientSecret = "wrong"
	failsWith(t, env.Try(func() { env.Token() }), "no token for")
}

func TestTryHandsOnOtherPanicsAndEndsWithTheCalls(t *testing.T) {
	t.Parallel()
	env := Start(t).Environment(t)
	func() {
		defer func() { equal(t, recover(), any("no")) }()
		_ = env.Try(func() { panic("no") })
	}()
	equal(t, env.control.failed.trying, false)
	check(t, env.Try(func() { env.Clock.Get() }))
}

func TestAnAddressWhereNothingListens(t *testing.T) {
	t.Parallel()
	unused, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	address := "http://" + unused.Addr().String()
	check(t, unused.Close())

	_, err = connect(address, 0)

	failsWith(t, err, address)
	equal(t, errors.Is(err, ErrNotReachable), true)
}
