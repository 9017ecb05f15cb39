package understudytest

import (
	"testing"

	"understudy.example/understudytest/understudy"
)

// PasskeyControl is an authenticator without a browser.
type PasskeyControl struct {
	t      testing.TB
	client *understudy.PasskeyControl
}

// Create makes a passkey and registers it for the user, by id or e-mail address.
func (c *PasskeyControl) Create(user string, options PasskeyOptions) Passkey {
	c.t.Helper()
	return must(c.client.Create(within(c.t), user, options))(c.t)
}

// Sign answers a challenge of registration:begin or authentication:begin.
func (c *PasskeyControl) Sign(challenge string, options SignOptions) PasskeyAnswer {
	c.t.Helper()
	return must(c.client.Sign(within(c.t), challenge, options))(c.t)
}

// List returns the passkeys of the authenticator, oldest first.
func (c *PasskeyControl) List() []Passkey {
	c.t.Helper()
	return must(c.client.List(within(c.t)))(c.t)
}
