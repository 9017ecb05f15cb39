package understudytest

import (
	"testing"

	"understudy.example/understudytest/understudy"
)

// RequestControl reads the journal: every call with its answer, without secrets.
type RequestControl struct {
	t      testing.TB
	client *understudy.RequestControl
}

// List returns the latest calls that match, oldest first.
func (c *RequestControl) List(filter RequestFilter) []JournalEntry {
	c.t.Helper()
	return must(c.client.List(within(c.t), filter))(c.t)
}

// Find returns the latest call that matches, or nil.
func (c *RequestControl) Find(filter RequestFilter) *JournalEntry {
	c.t.Helper()
	return must(c.client.Find(within(c.t), filter))(c.t)
}

// Get returns the call with the id of an answer's understudy-request-id header.
func (c *RequestControl) Get(id string) JournalEntry {
	c.t.Helper()
	return must(c.client.Get(within(c.t), id))(c.t)
}

// Wait waits until calls match, including earlier ones, and returns them. If they do not come, the message shows the
// nearest calls.
func (c *RequestControl) Wait(filter RequestFilter) []JournalEntry {
	c.t.Helper()
	return must(c.client.Wait(within(c.t), filter))(c.t)
}

// Verify counts the calls that match: at least one if no count is given. If the number is another one, the message
// shows the nearest calls.
func (c *RequestControl) Verify(match RequestMatch, counts ...Count) int {
	c.t.Helper()
	return must(c.client.Verify(within(c.t), match, counts...))(c.t)
}

// Explain says in a few lines why a call was answered as it was.
func (c *RequestControl) Explain(id string) string {
	c.t.Helper()
	return must(c.client.Explain(within(c.t), id))(c.t)
}

// Remedies returns what would help a call. Nothing is done.
func (c *RequestControl) Remedies(id string) []Remedy {
	c.t.Helper()
	return must(c.client.Remedies(within(c.t), id))(c.t)
}

// Fix applies the remedy with this number in the list, and returns the answer that it got.
func (c *RequestControl) Fix(id string, number int) AppliedRemedy {
	c.t.Helper()
	return must(c.client.Fix(within(c.t), id, number))(c.t)
}

// Trace returns a call with all that it caused. The id of a delivery, a mail or another row leads to its call.
func (c *RequestControl) Trace(id string) Trace {
	c.t.Helper()
	return must(c.client.Trace(within(c.t), id))(c.t)
}

// Clear deletes the journal.
func (c *RequestControl) Clear() {
	c.t.Helper()
	check(c.t, c.client.Clear(within(c.t)))
}
