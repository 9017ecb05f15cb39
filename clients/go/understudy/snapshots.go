package understudy

import (
	"context"
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
func (c *SnapshotControl) Take(ctx context.Context, name string) (Snapshot, error) {
	body := map[string]string{"name": name}
	return fetch[Snapshot](ctx, c.control, call{method: http.MethodPost, path: "/snapshots", body: body})
}

// List returns the snapshots, oldest first.
func (c *SnapshotControl) List(ctx context.Context) ([]Snapshot, error) {
	return list[Snapshot](ctx, c.control, "snapshots", call{path: "/snapshots"})
}

// Restore goes back to a snapshot. This can be repeated.
func (c *SnapshotControl) Restore(ctx context.Context, name string) error {
	return c.control.do(ctx, call{method: http.MethodPost, path: "/snapshots" + path(name, "restore")})
}

// Delete deletes the snapshot. The environment stays as it is.
func (c *SnapshotControl) Delete(ctx context.Context, name string) error {
	return c.control.do(ctx, call{method: http.MethodDelete, path: "/snapshots" + path(name)})
}
