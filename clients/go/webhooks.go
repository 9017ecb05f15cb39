package understudytest

import (
	"testing"

	"understudy.example/understudytest/understudy"
)

// WebhookControl makes webhook endpoints and reads deliveries.
type WebhookControl struct {
	t      testing.TB
	client *understudy.WebhookControl
}

// Inbox creates an endpoint that stores new events, so that a test needs no server. Event types are such as user.login
// or user.*; all events if there are none.
func (c *WebhookControl) Inbox(eventTypes ...string) *Inbox {
	c.t.Helper()
	inbox := must(c.client.Inbox(within(c.t), eventTypes...))(c.t)
	return &Inbox{inbox.WebhookEndpoint, inbox, c.t}
}

// AddEndpoint sends new events to an address. The receiver checks signatures with the endpoint's Secret.
func (c *WebhookControl) AddEndpoint(url string, eventTypes ...string) WebhookEndpoint {
	c.t.Helper()
	return must(c.client.AddEndpoint(within(c.t), url, eventTypes...))(c.t)
}

// RemoveEndpoint removes an endpoint and its deliveries.
func (c *WebhookControl) RemoveEndpoint(id string) {
	c.t.Helper()
	check(c.t, c.client.RemoveEndpoint(within(c.t), id))
}

// Endpoints returns all endpoints, oldest first.
func (c *WebhookControl) Endpoints() []WebhookEndpoint {
	c.t.Helper()
	return must(c.client.Endpoints(within(c.t)))(c.t)
}

// Deliveries returns the deliveries that match, oldest first.
func (c *WebhookControl) Deliveries(filter DeliveryFilter) []WebhookDelivery {
	c.t.Helper()
	return must(c.client.Deliveries(within(c.t), filter))(c.t)
}

// Wait waits until deliveries match, including earlier ones, and returns them. If they do not come, the message shows
// the nearest ones.
func (c *WebhookControl) Wait(filter DeliveryFilter) []WebhookDelivery {
	c.t.Helper()
	return must(c.client.Wait(within(c.t), filter))(c.t)
}

// Redeliver sends a delivery again at once, with the same webhook-id. It returns when the attempt is finished.
func (c *WebhookControl) Redeliver(id string) WebhookDelivery {
	c.t.Helper()
	return must(c.client.Redeliver(within(c.t), id))(c.t)
}

// Trigger emits an event with sample data. No row changes.
func (c *WebhookControl) Trigger(eventType string, options EventOptions) TriggeredEvent {
	c.t.Helper()
	return must(c.client.Trigger(within(c.t), eventType, options))(c.t)
}
