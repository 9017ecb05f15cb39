package understudytest

import (
	"testing"
	"time"

	"understudy.example/understudytest/understudy"
)

// ClockControl moves the clock of an environment.
type ClockControl struct {
	t      testing.TB
	client *understudy.ClockControl
}

// Get returns the clock.
func (c *ClockControl) Get() Clock {
	c.t.Helper()
	return must(c.client.Get(within(c.t)))(c.t)
}

// Advance moves the clock forward. It returns when everything that is now due has happened.
func (c *ClockControl) Advance(by time.Duration) Clock {
	c.t.Helper()
	return must(c.client.Advance(within(c.t), by))(c.t)
}

// Freeze stops the clock at a time, or at its current time if at is zero.
func (c *ClockControl) Freeze(at time.Time) Clock {
	c.t.Helper()
	return must(c.client.Freeze(within(c.t), at))(c.t)
}

// Set sets the clock to a time from which it runs.
func (c *ClockControl) Set(at time.Time) Clock {
	c.t.Helper()
	return must(c.client.Set(within(c.t), at))(c.t)
}

// SetOffset makes the clock run ahead of the machine's, or behind it if offset is negative.
func (c *ClockControl) SetOffset(offset time.Duration) Clock {
	c.t.Helper()
	return must(c.client.SetOffset(within(c.t), offset))(c.t)
}

// Real takes the clock of the machine.
func (c *ClockControl) Real() Clock {
	c.t.Helper()
	return must(c.client.Real(within(c.t)))(c.t)
}
