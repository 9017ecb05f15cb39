package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The journal of an environment: every call to the service with its answer. */
public final class Requests {
    private final Transport transport;

    Requests(Transport transport) {
        this.transport = transport;
    }

    /** The latest 100 calls, oldest first. */
    public List<JournalEntry> list() {
        return list(new RequestFilter());
    }

    /** The latest 100 calls that match, oldest first. */
    public List<JournalEntry> list(RequestFilter filter) {
        return entries(transport.get("/requests", filter.listQuery()));
    }

    /** The latest call that matches. */
    public Optional<JournalEntry> find(RequestFilter filter) {
        return entries(transport.get("/requests", filter.listQuery().with("limit", 1))).stream().findFirst();
    }

    /** The call with the id of an answer's {@code understudy-request-id} header. */
    public JournalEntry get(String id) {
        return new JournalEntry(transport.get("/requests" + Query.path(id), Query.none()));
    }

    /** Waits until a call matches, also an earlier one, and returns the latest. */
    public JournalEntry await(RequestFilter filter) {
        List<JournalEntry> found = await(filter, 1);
        return found.get(found.size() - 1);
    }

    /**
     * Waits until so many calls match, earlier ones included, and returns them. Throws a {@link WaitException} with
     * the calls that came.
     */
    public List<JournalEntry> await(RequestFilter filter, int count) {
        return entries(transport.get("/requests/wait", filter.waitQuery(count), filter.longestWait()));
    }

    /** Checks that at least one call matches. Returns how many do. */
    public int verify(RequestFilter filter) {
        return verify(filter, Count.atLeast(1));
    }

    /**
     * Checks that the expected number of calls matches: {@code verify(filter, Count.atLeast(2))}. Returns how many do.
     * Throws a {@link VerificationException} with the nearest calls.
     */
    public int verify(RequestFilter filter, Count expected) {
        return transport
                .post("/requests/verify", filter.verification(expected))
                .path("count")
                .asInt();
    }

    /** What would help a call: its number, what it does, the call, and the same as code. Nothing is done. */
    public List<JsonNode> remedies(String id) {
        JsonNode found = transport.get("/requests" + Query.path(id) + "/remedies", Query.none());
        return Json.list(found.path("remedies"), Function.identity());
    }

    /** Applies the remedy with this number in the list, and returns the status and the body of the answer. */
    public JsonNode fix(String id, int number) {
        return transport.post("/requests" + Query.path(id) + "/remedies/" + number);
    }

    /** A call with all that it caused. The id of a delivery, a mail or another row leads to its call. */
    public Trace trace(String id) {
        return new Trace(transport.get("/requests" + Query.path(id) + "/trace", Query.none()));
    }

    /** Deletes the journal. */
    public void clear() {
        transport.delete("/requests");
    }

    private static List<JournalEntry> entries(JsonNode found) {
        return Json.list(found.path("requests"), JournalEntry::new);
    }
}
