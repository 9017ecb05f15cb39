package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which calls of the journal are wanted. A filter never changes: each method returns another one. */
public final class RequestFilter {
    private final ObjectNode match;
    /** What only verify looks at. */
    private final ObjectNode more;
    /** What verify does not look at. */
    private final Query facts;
    private final @Nullable String contains;
    private final @Nullable String since;
    private final @Nullable Duration timeout;

    /** Every call. */
    public RequestFilter() {
        this(Json.object(), Json.object(), Query.none(), null, null, null);
    }

    private RequestFilter(
            ObjectNode match,
            ObjectNode more,
            Query facts,
            @Nullable String contains,
            @Nullable String since,
            @Nullable Duration timeout) {
        this.match = match;
        this.more = more;
        this.facts = facts;
        this.contains = contains;
        this.since = since;
        this.timeout = timeout;
    }

    private RequestFilter matching(String name, Object value) {
        return new RequestFilter(added(match, name, value), more, facts, contains, since, timeout);
    }

    private RequestFilter verifying(String name, Map<String, ?> values) {
        return new RequestFilter(match, added(more, name, values), facts, contains, since, timeout);
    }

    private static ObjectNode added(ObjectNode before, String name, Object value) {
        ObjectNode after = before.deepCopy();
        after.set(name, Json.tree(value));
        return after;
    }

    /** The name of an operation, or a glob such as {@code UserService_*}. */
    public static RequestFilter ofOperation(String operation) {
        return new RequestFilter().operation(operation);
    }

    /** The name of an operation, or a glob such as {@code UserService_*}. */
    public RequestFilter operation(String operation) {
        return matching("operation", operation);
    }

    /** The HTTP method, such as {@code POST}. */
    public RequestFilter method(String method) {
        return matching("method", method);
    }

    /** A glob such as {@code /api/v1/users/*}, or a template such as {@code /api/v1/users/{id}}. */
    public RequestFilter path(String path) {
        return matching("path", path);
    }

    /** The status of the answer. */
    public RequestFilter status(int status) {
        return matching("status", status);
    }

    /** A class of statuses, such as {@code 4xx}, or {@code none} for calls without an answer. */
    public RequestFilter status(String status) {
        return matching("status", status);
    }

    /** A protocol such as {@code grpc}, or a glob such as {@code http/*}. Not for verifying. */
    public RequestFilter protocol(String protocol) {
        return new RequestFilter(match, more, facts.with("protocol", protocol), contains, since, timeout);
    }

    /** The id of a client, a user or a directory, or a glob. Not for verifying. */
    public RequestFilter caller(String id) {
        return new RequestFilter(match, more, facts.with("caller", id), contains, since, timeout);
    }

    /** Only for listing: words that the journal shows of a call, in any order. */
    public RequestFilter contains(String words) {
        return new RequestFilter(match, more, facts, words, since, timeout);
    }

    /** Calls after the one with this id. */
    public RequestFilter since(String id) {
        return new RequestFilter(match, more, facts, contains, id, timeout);
    }

    /** Only for waiting: how long. Without it, four seconds. */
    public RequestFilter timeout(Duration longest) {
        return new RequestFilter(match, more, facts, contains, since, longest);
    }

    /** Only for verifying: fields of the body, with the operators of a scenario's {@code when}. */
    public RequestFilter body(Map<String, ?> fields) {
        return verifying("body", fields);
    }

    /** Only for verifying: parameters of the query, with the operators of a scenario's {@code when}. */
    public RequestFilter query(Map<String, ?> parameters) {
        return verifying("query", parameters);
    }

    /** Only for verifying: headers, with the operators of a scenario's {@code when}. */
    public RequestFilter headers(Map<String, ?> headers) {
        return verifying("headers", headers);
    }

    Query listQuery() {
        return query().with("contains", contains);
    }

    Query waitQuery(int count) {
        if (contains != null) throw new IllegalArgumentException("contains filters calls in lists only");
        return query().with("count", count).with("timeout", Times.textOrNull(timeout));
    }

    private Query query() {
        if (!more.isEmpty())
            throw new IllegalArgumentException("body, query and headers filter calls in verify only");
        Query query = facts.with("since", since);
        for (Map.Entry<String, JsonNode> each : match.properties())
            query = query.with(each.getKey(), each.getValue().asText());
        return query;
    }

    Duration longestWait() {
        return Times.waitOf(timeout);
    }

    JsonNode verification(Count count) {
        if (!facts.isEmpty() || contains != null)
            throw new IllegalArgumentException("protocol, caller and contains do not filter calls in verify");
        ObjectNode body = Json.object();
        body.set("match", match.deepCopy().setAll(more));
        count.into(body);
        if (since != null) body.put("since", since);
        return body;
    }
}
