package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** An endpoint that stores its deliveries instead of sending them. It returns each one once, in order. */
public final class Inbox {
    private static final int MOST = 1000;

    private final Webhooks webhooks;
    private final String id;
    private final String secret;
    private final Set<String> returned = new HashSet<>();

    Inbox(Webhooks webhooks, JsonNode endpoint) {
        this.webhooks = webhooks;
        this.id = endpoint.path("id").asText();
        this.secret = endpoint.path("secret").asText();
    }

    /** The id of the endpoint. */
    public String id() {
        return id;
    }

    /** The secret that signs deliveries. */
    public String secret() {
        return secret;
    }

    /** The first webhook that was not returned before. Waits up to four seconds for one. */
    public ReceivedWebhook next() {
        return next("*");
    }

    /** The first webhook of the type, or of a glob of types, that was not returned before. Waits up to 4s. */
    public ReceivedWebhook next(String eventType) {
        return next(eventType, Times.USUAL_WAIT);
    }

    /** Waits as long as {@code timeout} says, then throws a {@link WaitException}. */
    public ReceivedWebhook next(String eventType, Duration timeout) {
        long known = webhooks.deliveries(query(eventType).with("limit", MOST)).stream()
                .filter(this::wasReturned)
                .count();
        Query query = query(eventType).with("count", known + 1).with("timeout", Times.text(timeout));
        JsonNode delivery = webhooks.awaitDeliveries(query, timeout).stream()
                .filter(each -> !wasReturned(each))
                .findFirst()
                .orElseThrow();
        returned.add(delivery.path("id").asText());
        return new ReceivedWebhook(delivery);
    }

    /** Every webhook, oldest first, whether {@code next} returned it or not. */
    public List<ReceivedWebhook> all() {
        return Json.list(Json.tree(webhooks.deliveries(query("*").with("limit", MOST))), ReceivedWebhook::new);
    }

    /** Deletes the deliveries. */
    public void clear() {
        webhooks.clearDeliveriesOf(id);
        returned.clear();
    }

    /** Removes the endpoint and its deliveries. */
    public void remove() {
        webhooks.removeEndpoint(id);
    }

    private Query query(String eventType) {
        return Query.of("endpoint", id).with("type", eventType).with("status", "SUCCESS");
    }

    private boolean wasReturned(JsonNode delivery) {
        return returned.contains(delivery.path("id").asText());
    }
}
