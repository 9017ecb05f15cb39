package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** The clock of an environment. */
public final class Clock {
    private final Transport transport;

    Clock(Transport transport) {
        this.transport = transport;
    }

    /** The time of the environment. */
    public Instant now() {
        return Instant.parse(transport.get("/clock", Query.none()).path("now").asText());
    }

    /** {@code real}, {@code frozen} or {@code offset}. */
    public String mode() {
        return transport.get("/clock", Query.none()).path("mode").asText();
    }

    /** Moves the clock forward. Returns when everything that is now due has happened. */
    public void advance(Duration by) {
        transport.post("/clock/advance", Json.object(Map.of("by", Times.text(by))));
    }

    /** Stops the clock at the current time. */
    public void freeze() {
        set(Json.object(Map.of("mode", "frozen")));
    }

    /** Stops the clock at a time. */
    public void freeze(Instant at) {
        set(Json.object(Map.of("mode", "frozen", "at", at.toString())));
    }

    /** Lets the clock run ahead of the real time, or behind it if the offset is negative. */
    public void offset(Duration offset) {
        set(Json.object(Map.of("mode", "offset", "offset", Times.text(offset))));
    }

    /** Returns to the real time. */
    public void real() {
        set(Json.object(Map.of("mode", "real")));
    }

    private void set(JsonNode setting) {
        transport.send("PUT", "/clock", setting);
    }
}
