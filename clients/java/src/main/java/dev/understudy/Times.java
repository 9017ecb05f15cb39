package dev.understudy;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as the control API writes them: {@code 300ms}, {@code 5s}, {@code 15m}, {@code 25h}, {@code 14d}. */
final class Times {
    static final Duration USUAL_WAIT = Duration.ofSeconds(4);

    private static final Pattern TEXT = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m|h|d)");
    private static final Map<String, Long> MILLISECONDS =
            Map.of("ms", 1L, "s", 1000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

    private Times() {}

    static String text(Duration duration) {
        return duration.toMillis() + "ms";
    }

    /** How long a call may wait. The service refuses a text that is no duration. */
    static Duration waitOf(String timeout) {
        if (timeout == null) return USUAL_WAIT;
        Matcher match = TEXT.matcher(timeout);
        if (!match.matches()) return Duration.ZERO;
        double milliseconds = Double.parseDouble(match.group(1)) * MILLISECONDS.get(match.group(2));
        return Duration.ofMillis((long) milliseconds);
    }
}
