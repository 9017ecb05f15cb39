package understudy

import (
	"bytes"
	"context"
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
func (b *Inbox) Next(ctx context.Context, eventType string) (ReceivedWebhook, error) {
	return b.NextIn(ctx, eventType, 0)
}

// NextIn does what Next does, with another limit.
func (b *Inbox) NextIn(ctx context.Context, eventType string, timeout time.Duration) (ReceivedWebhook, error) {
	came, err := b.deliveries(ctx, eventType)
	if err != nil {
		return ReceivedWebhook{}, err
	}
	known := 0
	for _, each := range came {
		if b.returned[each.ID] {
			known++
		}
	}
	wanted := DeliveryFilter{Endpoint: b.ID, Type: eventType, Status: "SUCCESS", Count: known + 1, Timeout: timeout}
	found, err := b.webhooks.Wait(ctx, wanted)
	if err != nil {
		return ReceivedWebhook{}, err
	}
	i := slices.IndexFunc(found, func(each WebhookDelivery) bool { return !b.returned[each.ID] })
	b.returned[found[i].ID] = true
	return received(found[i]), nil
}

// All returns every delivery, oldest first, whether Next returned it or not.
func (b *Inbox) All(ctx context.Context) ([]ReceivedWebhook, error) {
	came, err := b.deliveries(ctx, "")
	all := make([]ReceivedWebhook, 0, len(came))
	for _, each := range came {
		all = append(all, received(each))
	}
	return all, err
}

func (b *Inbox) deliveries(ctx context.Context, eventType string) ([]WebhookDelivery, error) {
	wanted := DeliveryFilter{Endpoint: b.ID, Type: eventType, Status: "SUCCESS", Limit: mostDeliveries}
	return b.webhooks.Deliveries(ctx, wanted)
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
