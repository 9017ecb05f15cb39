package dev.understudy;

import java.time.Duration;

/** Which mails are wanted. */
public final class MailFilter {
    private String to;
    private String kind;
    private String since;
    private String timeout;

    /** An address, or a glob such as {@code *@example.com}. */
    public MailFilter to(String address) {
        to = address;
        return this;
    }

    /** {@code invitation}, {@code invitation_reminder}, {@code passwordless} or {@code verification}. */
    public MailFilter kind(String wanted) {
        kind = wanted;
        return this;
    }

    /** Only for waiting: mails after the one with this id. */
    public MailFilter since(String id) {
        since = id;
        return this;
    }

    /** Only for waiting: how long, such as {@code 10s}. Without it, four seconds. */
    public MailFilter timeout(String duration) {
        timeout = duration;
        return this;
    }

    Query listQuery() {
        return Query.of("to", to).and("kind", kind).and("format", "json");
    }

    Query waitQuery() {
        return Query.of("to", to).and("kind", kind).and("since", since).and("timeout", timeout);
    }

    Duration longestWait() {
        return Times.waitOf(timeout);
    }
}
