package dev.understudy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** How many calls {@link Requests#verify(RequestFilter, Count)} expects. */
public final class Count {
    private final @Nullable Integer least;
    private final @Nullable Integer most;

    private Count(@Nullable Integer least, @Nullable Integer most) {
        this.least = least;
        this.most = most;
    }

    /** Exactly so many calls. */
    public static Count times(int number) {
        return new Count(number, number);
    }

    /** No call. */
    public static Count never() {
        return times(0);
    }

    /** So many calls or more. */
    public static Count atLeast(int number) {
        return new Count(number, null);
    }

    /** So many calls or fewer, also none. */
    public static Count atMost(int number) {
        return new Count(null, number);
    }

    /** At least {@code least} and at most {@code most} calls. */
    public static Count between(int least, int most) {
        return new Count(least, most);
    }

    void into(ObjectNode body) {
        if (least != null) body.put("at_least", least);
        if (most != null) body.put("at_most", most);
    }
}
