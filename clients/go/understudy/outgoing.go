package understudy

import (
	"context"
	"time"
)

// OutgoingCall is a call that the service makes on its own, such as a back-channel logout.
type OutgoingCall struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	URL  string `json:"url"`
	// Content has the claims of the token of a back-channel logout.
	Content   map[string]any `json:"content"`
	ClientID  string         `json:"client_id"`
	SessionID string         `json:"session_id"`
	// Status is PENDING, DELIVERED or FAILED.
	Status    string           `json:"status"`
	Attempts  []map[string]any `json:"attempts"`
	CreatedAt time.Time        `json:"created_at"`
}

// OutgoingFilter selects calls that the service makes. What is empty is not looked at.
type OutgoingFilter struct {
	Kind, Status string
	// URL is an address or a glob.
	URL string
	// Since is the id of a call. Wait looks at later calls only.
	Since string
	// Timeout is how long Wait waits. Default: 4 seconds.
	Timeout time.Duration
}

// OutgoingControl reads the calls that the service makes on its own.
type OutgoingControl struct{ control *control }

// List returns the calls that match, oldest first.
func (c *OutgoingControl) List(ctx context.Context, filter OutgoingFilter) ([]OutgoingCall, error) {
	wanted := query(map[string]string{"kind": filter.Kind, "status": filter.Status, "url": filter.URL})
	return list[OutgoingCall](ctx, c.control, "calls", call{path: "/outgoing", query: wanted})
}

// Get returns the call with this id.
func (c *OutgoingControl) Get(ctx context.Context, id string) (OutgoingCall, error) {
	return fetch[OutgoingCall](ctx, c.control, call{path: "/outgoing" + path(id)})
}

// Wait returns the latest call that matches, or waits for one. If none comes, the error lists the other calls.
func (c *OutgoingControl) Wait(ctx context.Context, filter OutgoingFilter) (OutgoingCall, error) {
	wait, text := waiting(filter.Timeout)
	wanted := query(map[string]string{
		"kind": filter.Kind, "status": filter.Status, "url": filter.URL, "since": filter.Since, "timeout": text,
	})
	return fetch[OutgoingCall](ctx, c.control, call{path: "/outgoing/wait", query: wanted, wait: wait})
}
