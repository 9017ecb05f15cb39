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

    public Instant now() {
        return Instant.parse(transport.get("/clock", Query.none()).path("now").asText());
    }

    /** {@code real}, {@code frozen} or {@code offset}. */
    public String mode() {
        return transport.get("/clock", Query.none()).path("mode").asText();
    }

    /** Moves the clock by a duration such as {@code 25h}. Returns when everything that is now due has happened. */
    public void advance(String by) {
        transport.post("/clock/advance", Json.object(Map.of("by", by)));
    }

    public void advance(Duration by) {
        advance(Times.text(by));
    }

    /** Stops the clock at the current time. */
    public void freeze() {
        set(Json.object(Map.of("mode", "frozen")));
    }

    /** Stops the clock at a time, such as {@code 2030-01-01T09:00:00Z}. */
    public void freeze(String at) {
        set(Json.object(Map.of("mode", "frozen", "at", at)));
    }

    public void freeze(Instant at) {
        freeze(at.toString());
    }

    /** Lets the clock run this much before or after the real time: {@code -2h}. */
    public void offset(String offset) {
        set(Json.object(Map.of("mode", "offset", "offset", offset)));
    }

    /** Returns to the real time. */
    public void real() {
        set(Json.object(Map.of("mode", "real")));
    }

    private void set(JsonNode setting) {
        transport.send("PUT", "/clock", setting);
    }
}
