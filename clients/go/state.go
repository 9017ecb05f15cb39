package understudytest

import (
	"testing"

	"understudy.example/understudytest/understudy"
)

// StateControl reads and writes stored rows by collection and id, such as "organizations", "org_10000000000000001".
// Rows and fields are a map or a struct with the JSON names of the row. Times may be written as now-1d.
type StateControl struct {
	t      testing.TB
	client *understudy.StateControl
}

// WithEvents returns a control whose changes also send events and webhooks.
func (c *StateControl) WithEvents() *StateControl {
	return &StateControl{c.t, c.client.WithEvents()}
}

// At returns a control whose reads have the rows as they were: after a request such as req_17, at a time, or after a number
// of commits.
func (c *StateControl) At(moment string) *StateControl {
	return &StateControl{c.t, c.client.At(moment)}
}

// Get returns a row.
func (c *StateControl) Get(collection, id string) Row {
	c.t.Helper()
	return must(c.client.Get(within(c.t), collection, id))(c.t)
}

// GetInto reads a row into a map or a struct.
func (c *StateControl) GetInto(collection, id string, row any) {
	c.t.Helper()
	check(c.t, c.client.GetInto(within(c.t), collection, id, row))
}

// List returns all rows of a collection, or some of them.
func (c *StateControl) List(collection string, options ...ListOption) []Row {
	c.t.Helper()
	return must(c.client.List(within(c.t), collection, options...))(c.t)
}

// ListInto reads rows of a collection into a slice of maps or structs.
func (c *StateControl) ListInto(collection string, rows any, options ...ListOption) {
	c.t.Helper()
	check(c.t, c.client.ListInto(within(c.t), collection, rows, options...))
}

// Put creates a row, or replaces the one with this id.
func (c *StateControl) Put(collection, id string, row any) Row {
	c.t.Helper()
	return must(c.client.Put(within(c.t), collection, id, row))(c.t)
}

// Patch changes fields of a row; nil removes a field.
func (c *StateControl) Patch(collection, id string, fields any) Row {
	c.t.Helper()
	return must(c.client.Patch(within(c.t), collection, id, fields))(c.t)
}

// Delete deletes a row and the rows that cannot exist without it.
func (c *StateControl) Delete(collection, id string) {
	c.t.Helper()
	check(c.t, c.client.Delete(within(c.t), collection, id))
}

// Replace replaces all rows with a fixture, such as map[string]any{"include": []string{"empty"}}.
func (c *StateControl) Replace(fixture any) {
	c.t.Helper()
	check(c.t, c.client.Replace(within(c.t), fixture))
}

// Hash returns a hash of all rows. After a reset it is the same as at the start.
func (c *StateControl) Hash() string {
	c.t.Helper()
	return must(c.client.Hash(within(c.t)))(c.t)
}

// Counts returns the number of rows of every collection.
func (c *StateControl) Counts() map[string]int {
	c.t.Helper()
	return must(c.client.Counts(within(c.t)))(c.t)
}
