package understudy

import (
	"context"
	"net/http"
	"time"
)

// Clock is the clock of an environment.
type Clock struct {
	// Mode is real, frozen or offset.
	Mode string    `json:"mode"`
	Now  time.Time `json:"now"`
	// OffsetMS is negative if this clock is behind the machine's.
	OffsetMS float64 `json:"offset_ms"`
}

// Offset is the time between the machine's clock and this clock.
func (c Clock) Offset() time.Duration { return time.Duration(c.OffsetMS * float64(time.Millisecond)) }

type clockSetting struct {
	Mode   string    `json:"mode"`
	At     time.Time `json:"at,omitzero"`
	Offset string    `json:"offset,omitempty"`
}

// ClockControl moves the clock of an environment.
type ClockControl struct{ control *control }

// Get returns the clock.
func (c *ClockControl) Get(ctx context.Context) (Clock, error) {
	return c.send(ctx, http.MethodGet, "/clock", nil)
}

// Advance moves the clock forward. It returns when everything that is now due has happened.
func (c *ClockControl) Advance(ctx context.Context, by time.Duration) (Clock, error) {
	return c.send(ctx, http.MethodPost, "/clock/advance", map[string]string{"by": duration(by)})
}

// Freeze stops the clock at a time, or at its current time if at is zero.
func (c *ClockControl) Freeze(ctx context.Context, at time.Time) (Clock, error) {
	return c.send(ctx, http.MethodPut, "/clock", clockSetting{Mode: "frozen", At: at})
}

// Set sets the clock to a time from which it runs.
func (c *ClockControl) Set(ctx context.Context, at time.Time) (Clock, error) {
	return c.send(ctx, http.MethodPut, "/clock", clockSetting{Mode: "offset", At: at})
}

// SetOffset makes the clock run ahead of the machine's, or behind it if offset is negative.
func (c *ClockControl) SetOffset(ctx context.Context, offset time.Duration) (Clock, error) {
	return c.send(ctx, http.MethodPut, "/clock", clockSetting{Mode: "offset", Offset: duration(offset)})
}

// Real takes the clock of the machine.
func (c *ClockControl) Real(ctx context.Context) (Clock, error) {
	return c.send(ctx, http.MethodPut, "/clock", clockSetting{Mode: "real"})
}

func (c *ClockControl) send(ctx context.Context, method, path string, body any) (Clock, error) {
	return fetch[Clock](ctx, c.control, call{method: method, path: path, body: body})
}
