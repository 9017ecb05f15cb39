package understudytest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const mostDeliveries = 1000

// Inbox is an endpoint that stores its deliveries instead of sending them.
type Inbox struct {
	WebhookEndpoint

	webhooks *WebhookControl
	returned map[string]bool
}

// ReceivedWebhook is a delivery as a receiver would see it.
type ReceivedWebhook struct {
	// ID is the webhook-id: the same for every attempt.
	ID, Type string
	Payload  map[string]any
	// Body is the exact text that was signed.
	Body []byte
	// Header has webhook-id, webhook-timestamp and webhook-signature, as verifiers take them.
	Header   http.Header
	Delivery WebhookDelivery
}

// Next returns the first delivery of the type, or of a glob of types, that it has not returned before. It waits up to
// 4 seconds for one. An empty type stands for all.
func (b *Inbox) Next(eventType string) ReceivedWebhook {
	b.webhooks.control.t.Helper()
	return b.NextIn(eventType, 0)
}

// NextIn does what Next does, with another limit.
func (b *Inbox) NextIn(eventType string, timeout time.Duration) ReceivedWebhook {
	b.webhooks.control.t.Helper()
	known := 0
	for _, each := range b.deliveries(eventType) {
		if b.returned[each.ID] {
			known++
		}
	}
	wanted := DeliveryFilter{Endpoint: b.ID, Type: eventType, Status: "SUCCESS", Count: known + 1, Timeout: timeout}
	found := b.webhooks.Wait(wanted)
	i := slices.IndexFunc(found, func(each WebhookDelivery) bool { return !b.returned[each.ID] })
	b.returned[found[i].ID] = true
	return received(found[i])
}

// All returns every delivery, oldest first, whether Next returned it or not.
func (b *Inbox) All() []ReceivedWebhook {
	b.webhooks.control.t.Helper()
	var all []ReceivedWebhook
	for _, each := range b.deliveries("") {
		all = append(all, received(each))
	}
	return all
}

func (b *Inbox) deliveries(eventType string) []WebhookDelivery {
	b.webhooks.control.t.Helper()
	return b.webhooks.Deliveries(DeliveryFilter{Endpoint: b.ID, Type: eventType, Status: "SUCCESS", Limit: mostDeliveries})
}

func received(delivery WebhookDelivery) ReceivedWebhook {
	header := http.Header{"Content-Type": {"application/json"}}
	if attempts := delivery.Attempts; len(attempts) > 0 {
		for name, value := range attempts[len(attempts)-1].Headers {
			header.Set(name, value)
		}
	}
	return ReceivedWebhook{
		ID: delivery.ID, Type: delivery.EventType, Payload: delivery.Payload,
		Body: []byte(delivery.Body), Header: header, Delivery: delivery,
	}
}

// Verify returns an error if the signature is not valid.
func (w ReceivedWebhook) Verify(secret string) error {
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	return verifier.Verify(w.Body, w.Header)
}

// Request returns the webhook as a request to this path, for a handler that a test calls without a server.
func (w ReceivedWebhook) Request(path string) *http.Request {
	request := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(w.Body))
	request.Header = w.Header.Clone()
	return request
}
