package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Map;

/** How an environment is made. What is not given is as the service says. */
public final class EnvironmentOptions {
    private final ObjectNode body = Json.object();

    /** The name of the environment. Without it, the service chooses one. */
    public EnvironmentOptions name(String name) {
        body.put("name", name);
        return this;
    }

    /** The rows that it starts with: the name of a fixture. */
    public EnvironmentOptions fixture(String name) {
        body.put("fixture", name);
        return this;
    }

    /** The number that ids, secrets and random values come from. */
    public EnvironmentOptions seed(int seed) {
        body.put("seed", seed);
        return this;
    }

    /** The names of scenarios to load. Each reset loads them again. */
    public EnvironmentOptions scenarios(String... names) {
        body.set("scenarios", Json.tree(names));
        return this;
    }

    /** The time at which the clock stands still. */
    public EnvironmentOptions clock(Instant at) {
        body.set("clock", Json.object(Map.of("mode", "frozen", "at", at.toString())));
        return this;
    }

    /** Whether the service refuses fields that the contract does not name. */
    public EnvironmentOptions strict(boolean strict) {
        body.put("strict", strict);
        return this;
    }

    /** Other options with those of both. The later ones win. */
    EnvironmentOptions and(EnvironmentOptions later) {
        EnvironmentOptions both = new EnvironmentOptions();
        both.body.setAll(body);
        both.body.setAll(later.body);
        return both;
    }

    JsonNode body() {
        return body;
    }
}
