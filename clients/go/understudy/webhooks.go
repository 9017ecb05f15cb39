package understudy

import (
	"context"
	"net/http"
	"time"
)

// WebhookEndpoint is where events go.
type WebhookEndpoint struct {
	ID string `json:"id"`
	// Kind is http or inbox.
	Kind        string   `json:"kind"`
	URL         string   `json:"url"`
	Description string   `json:"description"`
	EventTypes  []string `json:"event_types"`
	// Secret signs the deliveries, and OldSecrets do until they expire.
	Secret      string      `json:"secret"`
	OldSecrets  []OldSecret `json:"old_secrets"`
	Enabled     bool        `json:"enabled"`
	MaxInFlight int         `json:"max_in_flight"`
	CreatedAt   time.Time   `json:"created_at"`
	UpdatedAt   time.Time   `json:"updated_at"`
}

// OldSecret is a former secret of an endpoint.
type OldSecret struct {
	Secret    string    `json:"secret"`
	ExpiresAt time.Time `json:"expires_at"`
}

// WebhookDelivery is an event on its way to an endpoint.
type WebhookDelivery struct {
	ID         string `json:"id"`
	EndpointID string `json:"endpoint_id"`
	EventID    string `json:"event_id"`
	EventType  string `json:"event_type"`
	// Status is QUEUED, RETRYING, HELD, SUCCESS, FAILED or DROPPED.
	Status          string           `json:"status"`
	NextAttemptAt   time.Time        `json:"next_attempt_at"`
	Postponed       bool             `json:"postponed"`
	Hold            int              `json:"hold"`
	Attempts        []WebhookAttempt `json:"attempts"`
	DroppedAttempts int              `json:"dropped_attempts"`
	Redelivered     map[string]any   `json:"redelivered"`
	CreatedAt       time.Time        `json:"created_at"`
	URL             string           `json:"url"`
	Payload         map[string]any   `json:"payload"`
	// Body is the exact text that is sent and that the signature covers.
	Body string `json:"body"`
}

// WebhookAttempt is one HTTP request of a delivery.
type WebhookAttempt struct {
	Time        time.Time         `json:"time"`
	MachineTime time.Time         `json:"machine_time"`
	DurationMS  float64           `json:"duration_ms"`
	Headers     map[string]string `json:"headers"`
	Status      int               `json:"status"`
	Answer      string            `json:"answer"`
	Error       string            `json:"error"`
	Payload     any               `json:"payload"`
	IsDuplicate bool              `json:"is_duplicate"`
	Scenario    map[string]any    `json:"scenario"`
}

// DeliveryFilter selects deliveries. What is empty is not looked at.
type DeliveryFilter struct {
	ID string
	// Endpoint is an id, an address or a glob; Type an event type or a glob.
	Endpoint, Type string
	// Status is a status. Without one, Wait returns finished deliveries only.
	Status string
	// Since is the id of a delivery: only later ones.
	Since string
	// Limit is how many deliveries Deliveries returns.
	Limit int
	// Count is for how many deliveries Wait waits, Timeout for how long. Default: 1 delivery, 4 seconds.
	Count   int
	Timeout time.Duration
}

func (f DeliveryFilter) query() map[string]string {
	return map[string]string{"endpoint": f.Endpoint, "type": f.Type, "status": f.Status, "since": f.Since}
}

// WebhookControl makes webhook endpoints and reads deliveries.
type WebhookControl struct{ control *control }

// Inbox creates an endpoint that stores new events, so that a test needs no server. Event types are such as user.login
// or user.*; all events if there are none.
func (c *WebhookControl) Inbox(ctx context.Context, eventTypes ...string) (*Inbox, error) {
	endpoint, err := c.create(ctx, "inbox", "", eventTypes)
	return &Inbox{WebhookEndpoint: endpoint, webhooks: c, returned: map[string]bool{}}, err
}

// AddEndpoint sends new events to an address. The receiver checks signatures with the endpoint's Secret.
func (c *WebhookControl) AddEndpoint(ctx context.Context, url string, eventTypes ...string) (WebhookEndpoint, error) {
	return c.create(ctx, "http", url, eventTypes)
}

// RemoveEndpoint removes an endpoint and its deliveries.
func (c *WebhookControl) RemoveEndpoint(ctx context.Context, id string) error {
	return c.control.do(ctx, call{method: http.MethodDelete, path: "/webhooks/endpoints" + path(id)})
}

// Endpoints returns all endpoints, oldest first.
func (c *WebhookControl) Endpoints(ctx context.Context) ([]WebhookEndpoint, error) {
	return list[WebhookEndpoint](ctx, c.control, "endpoints", call{path: "/webhooks/endpoints"})
}

// Deliveries returns the deliveries that match, oldest first.
func (c *WebhookControl) Deliveries(ctx context.Context, filter DeliveryFilter) ([]WebhookDelivery, error) {
	wanted := filter.query()
	wanted["limit"] = number(filter.Limit)
	return list[WebhookDelivery](ctx, c.control, "deliveries", call{path: "/webhooks/deliveries", query: query(wanted)})
}

// Wait waits until deliveries match, including earlier ones, and returns them. If they do not come, the message shows
// the nearest ones.
func (c *WebhookControl) Wait(ctx context.Context, filter DeliveryFilter) ([]WebhookDelivery, error) {
	wait, text := waiting(filter.Timeout)
	wanted := filter.query()
	wanted["id"], wanted["count"], wanted["timeout"] = filter.ID, number(filter.Count), text
	waited := call{path: "/webhooks/deliveries/wait", query: query(wanted), wait: wait}
	return list[WebhookDelivery](ctx, c.control, "deliveries", waited)
}

// Redeliver sends a delivery again at once, with the same webhook-id. It returns when the attempt is finished.
func (c *WebhookControl) Redeliver(ctx context.Context, id string) (WebhookDelivery, error) {
	if err := c.control.do(ctx, call{method: http.MethodPost, path: "/webhooks/deliveries" + path(id, "redeliver")}); err != nil {
		return WebhookDelivery{}, err
	}
	found, err := c.Wait(ctx, DeliveryFilter{ID: id})
	if err != nil {
		return WebhookDelivery{}, err
	}
	return found[len(found)-1], nil
}

// TriggeredEvent is an event without a change.
type TriggeredEvent struct {
	ID         string         `json:"id"`
	Type       string         `json:"type"`
	OccurredAt time.Time      `json:"occurred_at"`
	Data       map[string]any `json:"data"`
}

// EventOptions are the options of Trigger. What is empty is as in the sample.
type EventOptions struct {
	// Data replaces values of the sample data; nil removes a value.
	Data map[string]any `json:"data,omitempty"`
	// Like is the type whose sample data an event of another type has.
	Like         string `json:"like,omitempty"`
	Organization string `json:"organization_id,omitempty"`
}

// Trigger emits an event with sample data. No row changes.
func (c *WebhookControl) Trigger(ctx context.Context, eventType string, options EventOptions) (TriggeredEvent, error) {
	body := struct {
		Type string `json:"type"`
		EventOptions
	}{eventType, options}
	return fetch[TriggeredEvent](ctx, c.control, call{method: http.MethodPost, path: "/webhooks/events", body: body})
}

func (c *WebhookControl) create(ctx context.Context, kind, url string, eventTypes []string) (WebhookEndpoint, error) {
	body := struct {
		Kind       string   `json:"kind"`
		URL        string   `json:"url,omitempty"`
		EventTypes []string `json:"event_types,omitempty"`
	}{kind, url, eventTypes}
	return fetch[WebhookEndpoint](ctx, c.control, call{method: http.MethodPost, path: "/webhooks/endpoints", body: body})
}
