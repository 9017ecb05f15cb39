package understudytest

import (
	"testing"

	"understudy.example/understudytest/understudy"
)

// OutgoingControl reads the calls that the service makes on its own.
type OutgoingControl struct {
	t      testing.TB
	client *understudy.OutgoingControl
}

// List returns the calls that match, oldest first.
func (c *OutgoingControl) List(filter OutgoingFilter) []OutgoingCall {
	c.t.Helper()
	return must(c.client.List(within(c.t), filter))(c.t)
}

// Get returns the call with this id.
func (c *OutgoingControl) Get(id string) OutgoingCall {
	c.t.Helper()
	return must(c.client.Get(within(c.t), id))(c.t)
}

// Wait returns the latest call that matches, or waits for one. If none comes, the message lists the other calls.
func (c *OutgoingControl) Wait(filter OutgoingFilter) OutgoingCall {
	c.t.Helper()
	return must(c.client.Wait(within(c.t), filter))(c.t)
}
