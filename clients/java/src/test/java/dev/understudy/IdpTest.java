package dev.understudy;

import static dev.understudy.Caller.ACME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@Understudy
class IdpTest {
    private static final String MIA = "mia@acme.example";

    @Test
    void anIdentityProviderPushes(UnderstudyEnvironment environment) {
        Idp okta = environment.idp("okta");

        JsonNode created = okta.create(MIA, Map.of("given_name", "Mia", "groups", List.of("Finance")));

        assertEquals("dir_10000000000000601", created.path("directory_id").asText());
        assertEquals("DONE", created.path("pushes").path(0).path("status").asText());
        okta.change(MIA, Map.of("given_name", "Maria"));
        okta.move(MIA);
        JsonNode mia = okta.offboard(MIA).path("users").path(3);
        assertEquals("Maria", mia.path("given_name").asText());
        assertFalse(mia.path("active").asBoolean());
        assertTrue(mia.path("groups").isEmpty());
    }

    @Test
    void anIdentityProviderPushesLate(UnderstudyEnvironment environment) {
        Idp entra = environment.idp("entra").organization(ACME);

        JsonNode waiting = entra.inNextCycle().create(MIA);

        assertFalse(waiting.path("users").path(0).path("is_pushed").asBoolean());
        environment.clock().advance(Duration.ofMinutes(40));
        assertTrue(entra.sync().path("users").path(0).path("is_pushed").asBoolean());
        JsonNode push = entra.sendPatch(MIA).path("pushes").path(0);
        assertEquals(400, push.at("/attempts/0/requests/0/status").asInt());
    }

    @Test
    void anIdentityProviderDoesTheRest(UnderstudyEnvironment environment) {
        Idp okta = environment.idp("okta");
        okta.createGroup("Sales");
        okta.renameGroup("Sales", "Revenue");
        okta.create(MIA, Map.of("groups", List.of("Revenue")));
        okta.deactivate(MIA);
        okta.activate(MIA);
        okta.recreate(MIA);

        JsonNode groups = okta.pushAll().path("groups");
        assertEquals(MIA, groups.path(2).path("members").path(0).asText());
        okta.delete(MIA);
        assertEquals(2, okta.deleteGroup("Revenue").path("groups").size());
    }
}
