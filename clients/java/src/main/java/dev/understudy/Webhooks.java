package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The webhook endpoints and deliveries of an environment. */
public final class Webhooks {
    private final Transport transport;

    Webhooks(Transport transport) {
        this.transport = transport;
    }

    /**
     * Creates an endpoint that stores new events, so that a test needs no server. The types are such as
     * {@code user.login} or {@code user.*}; all events if there are none.
     */
    public Inbox inbox(String... eventTypes) {
        return new Inbox(this, addEndpoint(Json.object().put("kind", "inbox"), eventTypes));
    }

    /** Sends new events to an address. The receiver checks signatures with the endpoint's {@code secret}. */
    public JsonNode addEndpoint(String url, String... eventTypes) {
        return addEndpoint(Json.object().put("url", url), eventTypes);
    }

    /** Oldest first. */
    public List<JsonNode> endpoints() {
        JsonNode found = transport.get("/webhooks/endpoints", Query.none());
        return Json.list(found.path("endpoints"), Function.identity());
    }

    /** Removes an endpoint and its deliveries. */
    public void removeEndpoint(String id) {
        transport.delete("/webhooks/endpoints" + Query.path(id));
    }

    /** The deliveries of all endpoints, oldest first. */
    public List<JsonNode> deliveries() {
        return deliveries(Query.none());
    }

    /** Waits until the delivery of an event of this type, or of a glob of types, is finished. Returns the latest. */
    public JsonNode awaitDelivery(String eventType) {
        List<JsonNode> found = awaitDeliveries(Query.of("type", eventType), Times.USUAL_WAIT);
        return found.get(found.size() - 1);
    }

    /** Sends a delivery again at once, with the same {@code webhook-id}. Returns when the attempt is finished. */
    public JsonNode redeliver(String id) {
        transport.post("/webhooks/deliveries" + Query.path(id, "redeliver"));
        return awaitDeliveries(Query.of("id", id), Times.USUAL_WAIT).get(0);
    }

    /** Emits an event with sample data. No row changes. */
    public JsonNode trigger(String eventType) {
        return trigger(eventType, Map.of());
    }

    /** Emits an event with sample data, of which {@code data} replaces values. No row changes. */
    public JsonNode trigger(String eventType, Map<String, ?> data) {
        ObjectNode body = Json.object().put("type", eventType);
        body.set("data", Json.object(data));
        return transport.post("/webhooks/events", body);
    }

    /** Deletes all deliveries. */
    public void clear() {
        transport.delete("/webhooks/deliveries");
    }

    List<JsonNode> deliveries(Query query) {
        return Json.list(transport.get("/webhooks/deliveries", query).path("deliveries"), Function.identity());
    }

    List<JsonNode> awaitDeliveries(Query query, Duration wait) {
        JsonNode found = transport.get("/webhooks/deliveries/wait", query, wait);
        return Json.list(found.path("deliveries"), Function.identity());
    }

    void clearDeliveriesOf(String endpoint) {
        transport.delete("/webhooks/deliveries" + Query.of("endpoint", endpoint).text());
    }

    private JsonNode addEndpoint(ObjectNode settings, String... eventTypes) {
        if (eventTypes.length > 0) settings.set("event_types", Json.tree(eventTypes));
        return transport.post("/webhooks/endpoints", settings);
    }
}
