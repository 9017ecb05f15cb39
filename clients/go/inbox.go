package understudytest

import (
	"testing"
	"time"

	"understudy.example/understudytest/understudy"
)

// Inbox is an endpoint that stores its deliveries instead of sending them.
type Inbox struct {
	WebhookEndpoint

	// Client has the same calls with a context and an error that does not end the test.
	Client *understudy.Inbox

	t testing.TB
}

// Next returns the first delivery of the type, or of a glob of types, that it has not returned before. It waits up to
// 4 seconds for one. An empty type stands for all.
func (c *Inbox) Next(eventType string) ReceivedWebhook {
	c.t.Helper()
	return must(c.Client.Next(within(c.t), eventType))(c.t)
}

// NextIn does what Next does, with another limit.
func (c *Inbox) NextIn(eventType string, timeout time.Duration) ReceivedWebhook {
	c.t.Helper()
	return must(c.Client.NextIn(within(c.t), eventType, timeout))(c.t)
}

// All returns every delivery, oldest first, whether Next returned it or not.
func (c *Inbox) All() []ReceivedWebhook {
	c.t.Helper()
	return must(c.Client.All(within(c.t)))(c.t)
}
