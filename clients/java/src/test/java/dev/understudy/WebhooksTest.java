package dev.understudy;

import static dev.understudy.Caller.ACME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

@Understudy
class WebhooksTest {
    @Test
    void anInboxReturnsEachWebhookOnceAndInOrder(UnderstudyEnvironment environment) {
        Inbox inbox = environment.webhooks().inbox("organization.*");
        rename(environment, "One");
        rename(environment, "Two");

        assertEquals("One", nameIn(inbox.next("organization.updated")));
        assertEquals("Two", nameIn(inbox.next()));

        WaitException failure = assertThrows(WaitException.class, () -> inbox.next("*", Duration.ofMillis(1)));
        assertTrue(failure.getMessage().contains("2 of 3 deliveries had come"), failure.getMessage());
        assertEquals(2, inbox.all().size());
        inbox.clear();
        assertEquals(List.of(), inbox.all());
    }

    @Test
    void bodyAndHeadersHaveWhatAVerifierNeeds(UnderstudyEnvironment environment) throws Exception {
        Inbox inbox = environment.webhooks().inbox();
        rename(environment, "One");

        ReceivedWebhook webhook = inbox.next("organization.updated");

        Map<String, String> headers = webhook.headers();
        assertEquals(webhook.id(), headers.get("webhook-id"));
        assertEquals("v1," + signature(inbox.secret(), webhook), headers.get("webhook-signature"));
    }

    @Test
    void endpointsCanBeAddedAndRemoved(UnderstudyEnvironment environment) {
        Webhooks webhooks = environment.webhooks();
        JsonNode made = webhooks.addEndpoint("http://localhost:9/hooks", "user.*");

        assertTrue(webhooks.endpoints().contains(made));
        webhooks.removeEndpoint(made.path("id").asText());
        assertEquals(List.of(), webhooks.endpoints());
    }

    @Test
    void deliveriesCanBeAwaitedAndSentAgain(UnderstudyEnvironment environment) {
        Webhooks webhooks = environment.webhooks();
        Inbox inbox = webhooks.inbox("organization.*");
        rename(environment, "One");

        JsonNode first = webhooks.awaitDelivery("organization.*");
        JsonNode again = webhooks.redeliver(first.path("id").asText());

        assertEquals(2, again.path("attempts").size());
        assertEquals(List.of(again), webhooks.deliveries());
        webhooks.clear();
        inbox.remove();
        assertEquals(List.of(), webhooks.deliveries());
    }

    private static void rename(UnderstudyEnvironment environment, String name) {
        environment.state().withEvents().patch("organizations", ACME, Map.of("display_name", name));
    }

    private static String nameIn(ReceivedWebhook webhook) {
        return webhook.payload().path("data").path("display_name").asText();
    }

    private static String signature(String secret, ReceivedWebhook webhook) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        byte[] key = Base64.getDecoder().decode(secret.replace("whsec_", ""));
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        String signed = webhook.id() + "." + webhook.headers().get("webhook-timestamp") + "." + webhook.body();
        return Base64.getEncoder().encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void anEventIsTriggeredWithoutAChange(UnderstudyEnvironment environment) {
        Inbox inbox = environment.webhooks().inbox();

        environment.webhooks().trigger("organization.created", Map.of("display_name", "Globex"));

        assertEquals("Globex", inbox.next("organization.created").payload().at("/data/display_name").asText());
    }
}
