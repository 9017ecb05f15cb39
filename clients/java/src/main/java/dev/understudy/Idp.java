package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An identity provider that pushes people and groups over SCIM. People are named by their e-mail address. Each call
 * returns the provider as it is now; {@code pushes} has those of the call.
 */
public final class Idp {
    private final Transport transport;
    private final ObjectNode target;

    Idp(Transport transport, ObjectNode target) {
        this.transport = transport;
        this.target = target;
    }

    /** The organization whose directory gets the pushes. If it has none for the provider, one is made. */
    public Idp organization(String id) {
        return with("organization_id", id);
    }

    /** The directory that gets the pushes. */
    public Idp directory(String id) {
        return with("directory_id", id);
    }

    /** Pushes this much later by the clock of the environment. */
    public Idp late(Duration by) {
        return with("late", Times.text(by));
    }

    /** Pushes when the provider usually does, by the clock of the environment. */
    public Idp inNextCycle() {
        return with("late", "cycle");
    }

    /** Pushes everybody and every group, even what has not changed. */
    public JsonNode pushAll() {
        return act("push_all", Map.of());
    }

    /** Lets a person join. */
    public JsonNode create(String user) {
        return create(user, Map.of());
    }

    /** Lets a person join, with {@code given_name}, {@code family_name} and {@code groups}. Missing groups are made. */
    public JsonNode create(String user, Map<String, ?> person) {
        return act("create", user, person);
    }

    /** Changes {@code given_name}, {@code family_name} or {@code email}. */
    public JsonNode change(String user, Map<String, ?> changes) {
        return act("change", user, changes);
    }

    /** Puts the person into these groups, and takes them out of all others. */
    public JsonNode move(String user, String... groups) {
        return act("move", user, Map.of("groups", List.of(groups)));
    }

    /** Deactivates the person. */
    public JsonNode deactivate(String user) {
        return act("deactivate", user, Map.of());
    }

    /** Activates the person again. */
    public JsonNode activate(String user) {
        return act("activate", user, Map.of());
    }

    /** Deletes the person. */
    public JsonNode delete(String user) {
        return act("delete", user, Map.of());
    }

    /** Deletes the person and creates another one with the same e-mail address. */
    public JsonNode recreate(String user) {
        return act("recreate", user, Map.of());
    }

    /** Does what the provider does when somebody leaves: Entra ID deactivates, and deletes after 30 days. */
    public JsonNode offboard(String user) {
        return act("offboard", user, Map.of());
    }

    /** Makes a group. */
    public JsonNode createGroup(String group) {
        return act("create_group", Map.of("group_name", group));
    }

    /** Renames a group. */
    public JsonNode renameGroup(String group, String name) {
        return act("rename_group", Map.of("group_name", group, "new_name", name));
    }

    /** Deletes a group. */
    public JsonNode deleteGroup(String group) {
        return act("delete_group", Map.of("group_name", group));
    }

    /** Pushes now what waits, and tries again what failed. */
    public JsonNode sync() {
        return act("sync", Map.of());
    }

    /** Sends one PATCH for the person: a mistake that the provider could make. */
    public JsonNode sendPatch(String user) {
        return act("send_patch", user, Map.of());
    }

    /** Sends this PATCH for the person. */
    public JsonNode sendPatch(String user, Map<String, ?> patch) {
        return act("send_patch", user, Map.of("patch", patch));
    }

    Idp with(String name, String value) {
        return new Idp(transport, target.deepCopy().put(name, value));
    }

    private JsonNode act(String action, String user, Map<String, ?> more) {
        ObjectNode body = Json.object(more);
        return send(action, body.put("user", user));
    }

    private JsonNode act(String action, Map<String, ?> more) {
        return send(action, Json.object(more));
    }

    private JsonNode send(String action, ObjectNode more) {
        ObjectNode body = target.deepCopy();
        body.setAll(more);
        return transport.post("/idp/actions", body.put("action", action));
    }
}
