package dev.understudy;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/** Durations as the control API writes them, in milliseconds: {@code 300ms}. */
final class Times {
    static final Duration USUAL_WAIT = Duration.ofSeconds(4);

    private Times() {}

    static String text(Duration duration) {
        return duration.toMillis() + "ms";
    }

    static @Nullable String textOrNull(@Nullable Duration duration) {
        return duration == null ? null : text(duration);
    }

    /** Of an annotation, which cannot have an Instant. */
    static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException error) {
            throw new IllegalArgumentException("a clock is a time such as 2030-01-01T09:00:00Z, not " + text, error);
        }
    }

    /** How long a call may wait. */
    static Duration waitOf(@Nullable Duration timeout) {
        return timeout == null ? USUAL_WAIT : timeout;
    }
}
