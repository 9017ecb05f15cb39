package understudytest

import (
	"testing"
	"time"

	"understudy.example/understudytest/understudy"
)

// TOTPControl is the authenticator app of one user, without a telephone.
type TOTPControl struct {
	t      testing.TB
	client *understudy.TOTPControl
}

// Enrol registers and enables an app for the user, who needs its code at the next sign-in.
func (c *TOTPControl) Enrol() TOTPAuthenticator {
	c.t.Helper()
	return must(c.client.Enrol(within(c.t)))(c.t)
}

// Get returns the app: its secret, its code, and the unused backup codes.
func (c *TOTPControl) Get() TOTPAuthenticator {
	c.t.Helper()
	return must(c.client.Get(within(c.t)))(c.t)
}

// Code returns what the app shows by the clock of the environment; the next code if the service has used that up.
func (c *TOTPControl) Code() string {
	c.t.Helper()
	return must(c.client.Code(within(c.t)))(c.t)
}

// CodeWithDrift returns what an app shows whose clock is ahead, or behind if the drift is negative.
func (c *TOTPControl) CodeWithDrift(drift time.Duration) string {
	c.t.Helper()
	return must(c.client.CodeWithDrift(within(c.t), drift))(c.t)
}
