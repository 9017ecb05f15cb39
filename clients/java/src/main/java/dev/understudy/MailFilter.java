package dev.understudy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Which mails are wanted. A filter never changes: each method returns another one. */
public final class MailFilter {
    private final Query wanted;
    private final @Nullable String since;
    private final @Nullable Duration timeout;

    /** Every mail. */
    public MailFilter() {
        this(Query.none(), null, null);
    }

    private MailFilter(Query wanted, @Nullable String since, @Nullable Duration timeout) {
        this.wanted = wanted;
        this.since = since;
        this.timeout = timeout;
    }

    /** An address, or a glob such as {@code *@example.com}. */
    public MailFilter to(String address) {
        return new MailFilter(wanted.with("to", address), since, timeout);
    }

    /** {@code invitation}, {@code invitation_reminder}, {@code passwordless} or {@code verification}. */
    public MailFilter kind(String kind) {
        return new MailFilter(wanted.with("kind", kind), since, timeout);
    }

    /** Also brings the HTML of each mail. */
    public MailFilter withHtml() {
        return new MailFilter(wanted.with("html", "true"), since, timeout);
    }

    /** Only for waiting: mails after the one with this id. */
    public MailFilter since(String id) {
        return new MailFilter(wanted, id, timeout);
    }

    /** Only for waiting: how long. Without it, four seconds. */
    public MailFilter timeout(Duration longest) {
        return new MailFilter(wanted, since, longest);
    }

    Query listQuery() {
        return wanted.with("format", "json");
    }

    Query waitQuery() {
        return wanted.with("since", since).with("timeout", Times.textOrNull(timeout));
    }

    Duration longestWait() {
        return Times.waitOf(timeout);
    }
}
