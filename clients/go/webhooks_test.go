package understudytest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

func rename(env *Environment, name string) {
	env.t.Helper()
	env.State.WithEvents().Patch("organizations", acme, Row{"display_name": name})
}

func nameIn(webhook ReceivedWebhook) any {
	data, _ := webhook.Payload["data"].(map[string]any)
	return data["display_name"]
}

func TestAnInboxReturnsEachWebhookOnceAndInOrder(t *testing.T) {
	t.Parallel()
	env := Start(t)
	inbox := env.Webhooks.Inbox("organization.*")
	rename(env, "One")
	rename(env, "Two")

	equal(t, nameIn(inbox.Next("organization.updated")), any("One"))
	equal(t, nameIn(inbox.Next("")), any("Two"))
	_, err := inbox.Client.NextIn(t.Context(), "", time.Millisecond)
	failsWith(t, err, "2 of 3 deliveries had come")
	equal(t, len(inbox.All()), 2)
}

func TestASignatureIsVerifiedWithTheSecret(t *testing.T) {
	t.Parallel()
	env := Start(t)
	inbox, other := env.Webhooks.Inbox(), env.Webhooks.Inbox()
	rename(env, "One")

	webhook := inbox.Next("organization.updated")

	check(t, webhook.Verify(inbox.Secret))
	if webhook.Verify(other.Secret) == nil {
		t.Error("another secret verifies the signature, too")
	}
}

func TestAHandlerGetsAWebhookAsARequest(t *testing.T) {
	t.Parallel()
	env := Start(t)
	inbox := env.Webhooks.Inbox()
	rename(env, "One")
	webhook := inbox.Next("organization.updated")
	var got string
	handler := http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		got = request.Method + " " + request.URL.Path + " " + request.Header.Get("webhook-id")
	})

	handler.ServeHTTP(httptest.NewRecorder(), webhook.Request("/hooks"))

	equal(t, got, "POST /hooks "+webhook.ID)
}

func TestDeliveriesCanBeSentAgain(t *testing.T) {
	t.Parallel()
	env := Start(t)
	inbox := env.Webhooks.Inbox("organization.*")
	rename(env, "One")

	first := env.Webhooks.Wait(DeliveryFilter{Endpoint: inbox.ID, Type: "organization.*"})[0]
	again := env.Webhooks.Redeliver(first.ID)

	equal(t, len(again.Attempts), 2)
	equal(t, env.Webhooks.Deliveries(DeliveryFilter{Type: "organization.updated", Endpoint: inbox.ID})[0].ID, first.ID)
}

func TestAnEndpointSendsToAServer(t *testing.T) {
	t.Parallel()
	env := Start(t)
	ids := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		ids <- request.Header.Get("webhook-id")
	}))
	t.Cleanup(server.Close)

	endpoint := env.Webhooks.AddEndpoint(server.URL, "organization.updated")
	rename(env, "One")

	equal(t, env.Webhooks.Wait(DeliveryFilter{Endpoint: endpoint.ID})[0].ID, <-ids)
	env.Webhooks.RemoveEndpoint(endpoint.ID)
	equal(t, slices.ContainsFunc(env.Webhooks.Endpoints(), func(each WebhookEndpoint) bool { return each.ID == endpoint.ID }), false)
}

func TestAnEventIsTriggeredWithoutAChange(t *testing.T) {
	t.Parallel()
	env := Start(t)
	inbox := env.Webhooks.Inbox()

	event := env.Webhooks.Trigger("organization.created", EventOptions{Data: map[string]any{"display_name": "Globex"}})

	webhook := inbox.Next("organization.created")
	equal(t, nameIn(webhook), any("Globex"))
	equal(t, webhook.Payload["id"], any(event.ID))
	check(t, webhook.Verify(inbox.Secret))
}
