package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/** A delivery as a receiver would see it. */
public final class ReceivedWebhook {
    private final JsonNode delivery;

    ReceivedWebhook(JsonNode delivery) {
        this.delivery = delivery;
    }

    /** The {@code webhook-id}: the same for every attempt. */
    public String id() {
        return delivery.path("id").asText();
    }

    /** Such as {@code organization.updated}. */
    public String type() {
        return delivery.path("event_type").asText();
    }

    /** The event. */
    public JsonNode payload() {
        return delivery.path("payload");
    }

    /** The exact text that was signed. */
    public String body() {
        return delivery.path("body").asText();
    }

    /** {@code webhook-id}, {@code webhook-timestamp} and {@code webhook-signature}, as verifiers take them. */
    public Map<String, String> headers() {
        JsonNode attempts = delivery.path("attempts");
        Map<String, String> headers = new LinkedHashMap<>();
        attempts.path(attempts.size() - 1)
                .path("headers")
                .fields()
                .forEachRemaining(each -> headers.put(each.getKey(), each.getValue().asText()));
        return headers;
    }

    /** Everything that the control API says of the delivery. */
    public JsonNode json() {
        return delivery;
    }
}
