package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/** The scenarios of an environment: simulated failures and states. */
public final class Scenarios {
    private final Transport transport;

    Scenarios(Transport transport) {
        this.transport = transport;
    }

    /** Loads a scenario by name. It replaces a loaded scenario of the same name. Returns its id. */
    public String load(String name) {
        return load(name, Map.of());
    }

    /** Loads a scenario by name, with parameters: {@code load("rate-limit-once", Map.of("retry_after", 5))}. */
    public String load(String name, Map<String, ?> params) {
        ObjectNode body = Json.object(Map.of("name", name));
        if (!params.isEmpty()) body.set("params", Json.object(params));
        return transport.post("/scenarios", body).path("id").asText();
    }

    /** Loads a scenario of your own, with {@code name} and {@code rules}. Returns its id. */
    public String load(Map<String, ?> scenario) {
        return transport.post("/scenarios", Json.object(scenario)).path("id").asText();
    }

    /** Loads the text of a scenario file. Returns its id. */
    public String loadYaml(String text) {
        return transport.postYaml("/scenarios", text).path("id").asText();
    }

    /** The scenarios that are loaded, with their rules and the counts of these. */
    public List<JsonNode> loaded() {
        return Json.list(transport.get("/scenarios", Query.none()).path("loaded"), each -> each);
    }

    /** The scenarios that can be loaded by name. */
    public List<JsonNode> available() {
        return Json.list(transport.get("/scenarios", Query.none()).path("available"), each -> each);
    }

    /** A loaded scenario by id or name, with the counts of its rules. */
    public JsonNode get(String scenario) {
        return transport.get("/scenarios" + Query.path(scenario), Query.none());
    }

    /** Removes the rules of a scenario. The state that they set stays. */
    public void unload(String scenario) {
        transport.delete("/scenarios" + Query.path(scenario));
    }

    /** Removes the rules of all scenarios. */
    public void unloadAll() {
        transport.delete("/scenarios");
    }
}
