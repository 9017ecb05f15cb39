package understudytest

import (
	"net/http"
	"time"
)

// Snapshot is a named copy of an environment: rows, ids, clock and scenarios. It survives a reset.
type Snapshot struct {
	Name string    `json:"name"`
	Time time.Time `json:"time"`
}

// SnapshotControl takes and restores snapshots.
type SnapshotControl struct{ control *control }

// Take makes a snapshot.
func (c *SnapshotControl) Take(name string) (snapshot Snapshot) {
	c.control.t.Helper()
	body := map[string]string{"name": name}
	c.control.do(call{method: http.MethodPost, path: "/snapshots", body: body, result: &snapshot})
	return snapshot
}

// List returns the snapshots, oldest first.
func (c *SnapshotControl) List() []Snapshot {
	c.control.t.Helper()
	return list[Snapshot](c.control, "snapshots", call{path: "/snapshots"})
}

// Restore goes back to a snapshot. This can be repeated.
func (c *SnapshotControl) Restore(name string) {
	c.control.t.Helper()
	c.control.do(call{method: http.MethodPost, path: "/snapshots" + path(name, "restore")})
}

// Delete deletes the snapshot. The environment stays as it is.
func (c *SnapshotControl) Delete(name string) {
	c.control.t.Helper()
	c.control.do(call{method: http.MethodDelete, path: "/snapshots" + path(name)})
}
