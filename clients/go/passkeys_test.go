package understudytest

import (
	"net/http"
	"testing"
	"time"
)

const ada = "usr_10000000000000101"

func TestAPasskeySignsIn(t *testing.T) {
	t.Parallel()
	env := Start(t)
	made := env.Passkeys.Create("ada@acme.example", PasskeyOptions{DisplayName: "Phone", RPID: "localhost", Algorithm: "EdDSA"})
	equal(t, made.UserID, ada)
	equal(t, made.RPID, "localhost")
	equal(t, made.Playwright.ID, made.CredentialID)
	equal(t, made.CDP.UserName, "ada@acme.example")

	signed := env.Passkeys.Sign(challenge(env), SignOptions{})

	equal(t, signed.Operation, "WebAuthnService_FinishAuthentication")
	answer := send(env, http.MethodPost, "/api/v1/webauthn/authentication:finish", signed.Body)
	equal(t, answer.StatusCode, http.StatusOK)
	equal(t, env.Passkeys.List()[1].ID, made.ID)
}

func TestTheOptionsOfAPasskeyMakeASignInFail(t *testing.T) {
	t.Parallel()
	env := Start(t)
	no, count := false, 7
	options := SignOptions{CredentialID: env.Passkeys.List()[0].CredentialID, Origin: "https://evil.example", UserVerified: &no, SignCount: &count}

	signed := env.Passkeys.Sign(challenge(env), options)

	answer := send(env, http.MethodPost, "/api/v1/webauthn/authentication:finish", signed.Body)
	equal(t, answer.StatusCode, http.StatusBadRequest)
	equal(t, env.Passkeys.List()[0].SignCount, 7)
}

// challenge is the one of a sign-in of Ada that has begun.
func challenge(env *Environment) string {
	env.t.Helper()
	send(env, http.MethodPost, "/api/v1/webauthn/authentication:begin", map[string]string{"email": "ada@acme.example"})
	var ceremonies []struct{ Challenge string }
	env.State.ListInto("passkey_ceremonies", &ceremonies)
	return ceremonies[len(ceremonies)-1].Challenge
}

func TestACodeOfAnAuthenticatorAppIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	env := Start(t)
	app := env.TOTP("ada@acme.example")
	enrolled := app.Enrol()
	equal(t, enrolled.UserID, ada)
	equal(t, len(enrolled.BackupCodes), 10)
	env.Clock.Freeze(time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC))
	code := app.Code()

	equal(t, valid(env, code), true)
	equal(t, valid(env, code), false)
	equal(t, valid(env, app.CodeWithDrift(-time.Hour)), false)
	equal(t, valid(env, app.Code()), true)
	equal(t, app.Get().Secret, enrolled.Secret)
}

func valid(env *Environment, code string) bool {
	env.t.Helper()
	send(env, http.MethodPost, "/api/v1/user/"+ada+"/totp:verify", map[string]string{"code": code})
	calls := env.Requests.List(RequestFilter{Operation: "TOTPService_VerifyUserCode"})
	body, _ := calls[len(calls)-1].Response.Body.(map[string]any)
	return body["valid"] == true
}
