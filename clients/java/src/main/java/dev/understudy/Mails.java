package dev.understudy;

import java.util.List;

/** The mails of an environment that the service would have sent. */
public final class Mails {
    private final Transport transport;

    Mails(Transport transport) {
        this.transport = transport;
    }

    /** Every mail, oldest first. */
    public List<Mail> list() {
        return list(new MailFilter());
    }

    /** Oldest first. */
    public List<Mail> list(MailFilter filter) {
        return Json.list(transport.get("/mail", filter.listQuery()).path("mails"), Mail::new);
    }

    /** The mail with this id. */
    public Mail get(String id) {
        return new Mail(transport.get("/mail" + Query.path(id), Query.of("format", "json")));
    }

    /** The latest mail to an address or to a glob such as {@code *@example.com}. Waits up to four seconds for one. */
    public Mail await(String to) {
        return await(new MailFilter().to(to));
    }

    /** The latest mail that matches. Waits for one, then throws a {@link WaitException} that lists the other mails. */
    public Mail await(MailFilter filter) {
        return new Mail(transport.get("/mail/wait", filter.waitQuery(), filter.longestWait()));
    }

    /** Deletes all mails. */
    public void clear() {
        transport.delete("/mail");
    }
}
