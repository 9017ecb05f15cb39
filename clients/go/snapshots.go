package understudytest

import (
	"testing"

	"understudy.example/understudytest/understudy"
)

// SnapshotControl takes and restores snapshots.
type SnapshotControl struct {
	t      testing.TB
	client *understudy.SnapshotControl
}

// Take makes a snapshot.
func (c *SnapshotControl) Take(name string) Snapshot {
	c.t.Helper()
	return must(c.client.Take(within(c.t), name))(c.t)
}

// List returns the snapshots, oldest first.
func (c *SnapshotControl) List() []Snapshot {
	c.t.Helper()
	return must(c.client.List(within(c.t)))(c.t)
}

// Restore goes back to a snapshot. This can be repeated.
func (c *SnapshotControl) Restore(name string) {
	c.t.Helper()
	check(c.t, c.client.Restore(within(c.t), name))
}

// Delete deletes the snapshot. The environment stays as it is.
func (c *SnapshotControl) Delete(name string) {
	c.t.Helper()
	check(c.t, c.client.Delete(within(c.t), name))
}
