package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Map;

/** Which calls of the journal are wanted. */
public final class RequestFilter {
    private final ObjectNode match = Json.object();
    private final ObjectNode more = Json.object();
    private final ObjectNode facts = Json.object();
    private String contains;
    private String since;
    private String timeout;

    /** The name of an operation, or a glob such as {@code UserService_*}. */
    public static RequestFilter ofOperation(String operation) {
        return new RequestFilter().operation(operation);
    }

    /** The name of an operation, or a glob such as {@code UserService_*}. */
    public RequestFilter operation(String operation) {
        match.put("operation", operation);
        return this;
    }

    public RequestFilter method(String method) {
        match.put("method", method);
        return this;
    }

    /** A glob such as {@code /api/v1/users/*}, or a template such as {@code /api/v1/users/{id}}. */
    public RequestFilter path(String path) {
        match.put("path", path);
        return this;
    }

    public RequestFilter status(int status) {
        match.put("status", status);
        return this;
    }

    /** A class of statuses, such as {@code 4xx}, or {@code none} for calls without an answer. */
    public RequestFilter status(String status) {
        match.put("status", status);
        return this;
    }

    /** A protocol such as {@code grpc}, or a glob such as {@code http/*}. Not for verifying. */
    public RequestFilter protocol(String protocol) {
        facts.put("protocol", protocol);
        return this;
    }

    /** The id of a client, a user or a directory, or a glob. Not for verifying. */
    public RequestFilter caller(String id) {
        facts.put("caller", id);
        return this;
    }

    /** Only for listing: words that the journal shows of a call, in any order. */
    public RequestFilter contains(String words) {
        contains = words;
        return this;
    }

    /** Calls after the one with this id. */
    public RequestFilter since(String id) {
        since = id;
        return this;
    }

    /** Only for waiting: how long, such as {@code 10s}. Without it, four seconds. */
    public RequestFilter timeout(String duration) {
        timeout = duration;
        return this;
    }

    /** Only for verifying: fields of the body, with the operators of a scenario's {@code when}. */
    public RequestFilter body(Map<String, ?> fields) {
        more.set("body", Json.object(fields));
        return this;
    }

    /** Only for verifying: parameters of the query, with the operators of a scenario's {@code when}. */
    public RequestFilter query(Map<String, ?> parameters) {
        more.set("query", Json.object(parameters));
        return this;
    }

    /** Only for verifying: headers, with the operators of a scenario's {@code when}. */
    public RequestFilter headers(Map<String, ?> headers) {
        more.set("headers", Json.object(headers));
        return this;
    }

    Query listQuery() {
        return query().and("contains", contains);
    }

    Query waitQuery(int count) {
        if (contains != null) throw new IllegalArgumentException("contains filters calls in lists only");
        return query().and("count", count).and("timeout", timeout);
    }

    private Query query() {
        refuseVerification();
        Query query = Query.of("since", since);
        match.fields().forEachRemaining(each -> query.and(each.getKey(), each.getValue().asText()));
        facts.fields().forEachRemaining(each -> query.and(each.getKey(), each.getValue().asText()));
        return query;
    }

    Duration longestWait() {
        return Times.waitOf(timeout);
    }

    JsonNode verification(int atLeast, Integer atMost) {
        if (!facts.isEmpty() || contains != null)
            throw new IllegalArgumentException("protocol, caller and contains do not filter calls in verify");
        ObjectNode body = Json.object();
        body.set("match", match.deepCopy().setAll(more));
        body.put("at_least", atLeast);
        if (atMost != null) body.put("at_most", atMost);
        if (since != null) body.put("since", since);
        return body;
    }

    private void refuseVerification() {
        if (!more.isEmpty())
            throw new IllegalArgumentException("body, query and headers filter calls in verify only");
    }
}
