package dev.understudy;

import static dev.understudy.Caller.ACME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

@Understudy
class ErrorsTest {
    @Test
    void anUnknownScenarioIsNamedWithTheNearest(UnderstudyEnvironment environment) {
        ControlException refused =
                assertThrows(ControlException.class, () -> environment.scenario("rate-limit-onse"));

        assertTrue(refused.getMessage().contains("did you mean rate-limit-once"), refused.getMessage());
        assertEquals(404, refused.status());
        assertEquals("RESOURCE_NOT_FOUND", refused.errorCode());
    }

    @Test
    void everyViolationIsInTheMessage(UnderstudyEnvironment environment) {
        ControlException refused = assertThrows(
                ControlException.class,
                () -> environment.state().patch("organizations", ACME, Map.of("display_name", 7)));

        assertTrue(refused.violations().get(0).path("field").asText().contains("display_name"));
        assertTrue(refused.getMessage().contains("display_name"), refused.getMessage());
        assertTrue(refused.getMessage().contains("PATCH http"), refused.getMessage());
    }

    @Test
    void aMisspeltCollectionIsNamedWithTheNearest(UnderstudyEnvironment environment) {
        ControlException refused =
                assertThrows(ControlException.class, () -> environment.state().list("organisations"));

        assertTrue(refused.getMessage().contains("did you mean organizations"), refused.getMessage());
    }

    @Test
    void waitingForAMailListsTheOtherMails(UnderstudyEnvironment environment) {
        new Caller(environment).post("/api/v1/passwordless/email/send", "{\"email\":\"ada@acme.example\"}");
        MailFilter filter = new MailFilter().to("nobody@acme.example").timeout(Duration.ofMillis(1));

        WaitException failure = assertThrows(WaitException.class, () -> environment.mail().await(filter));

        assertTrue(
                failure.getMessage().contains("other mail: passwordless to ada@acme.example, \""),
                failure.getMessage());
    }

    @Test
    void anAddressWhereNothingListens() {
        String url = "http://127.0.0.1:1";

        NotReachableException failure = assertThrows(
                NotReachableException.class, () -> UnderstudyService.connect(url, null, Duration.ZERO));
        assertTrue(failure.getMessage().contains(url), failure.getMessage());
    }
}
