package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The stored rows of an environment, by collection and id. Times may be written as {@code now-1d}. */
public final class State {
    private final Transport transport;
    private final boolean events;
    private final Query moment;

    State(Transport transport) {
        this(transport, false, Query.none());
    }

    private State(Transport transport, boolean events, Query moment) {
        this.transport = transport;
        this.events = events;
        this.moment = moment;
    }

    /** The same rows. Changes that are made through it also send events and webhooks. */
    public State withEvents() {
        return new State(transport, true, moment);
    }

    /**
     * The rows as they were: after a request such as {@code req_17}, at a time, or after a number of commits. Changes that are
     * made through it change the rows as they are.
     */
    public State at(String moment) {
        return new State(transport, events, Query.of("at", moment));
    }

    /** Every row, by collection. */
    public JsonNode all() {
        return transport.get("/state", moment);
    }

    /** Replaces all rows with a fixture, such as {@code Map.of("include", List.of("empty"))}. */
    public void replace(Map<String, ?> fixture) {
        transport.send("PUT", "/state", Json.object(fixture));
    }

    /** A hash of all rows. After a reset it is the same as at the start. */
    public String hash() {
        return transport.get("/state/hash", Query.none()).path("hash").asText();
    }

    /** The number of rows of every collection. */
    public Map<String, Integer> counts() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        transport.get("/state/counts", moment).path("counts").properties()
                .forEach(count -> counts.put(count.getKey(), count.getValue().intValue()));
        return counts;
    }

    /** All rows of a collection, oldest first. */
    public List<JsonNode> list(String collection) {
        return list(collection, new RowFilter());
    }

    /** Some rows of a collection. */
    public List<JsonNode> list(String collection, RowFilter filter) {
        JsonNode found = transport.get("/state" + Query.path(collection), filter.query().and(moment));
        return Json.list(found.path("rows"), Function.identity());
    }

    /** Some rows of a collection, as objects of a class of yours. Members that the class lacks are left out. */
    public <T> List<T> list(String collection, RowFilter filter, Class<T> row) {
        JsonNode found = transport.get("/state" + Query.path(collection), filter.query().and(moment));
        return Json.list(found.path("rows"), each -> Json.as(each, row));
    }

    /** A row. */
    public JsonNode get(String collection, String id) {
        return transport.get("/state" + Query.path(collection, id), moment);
    }

    /**
     * A row, as an object of a class of yours. Its members have the names of the row, or Jackson's annotations say
     * which. Members that the class lacks are left out.
     */
    public <T> T get(String collection, String id, Class<T> row) {
        return Json.as(get(collection, id), row);
    }

    /** Creates a row, or replaces the one with this id. The row is a map, or an object that Jackson can write. */
    public JsonNode put(String collection, String id, Object row) {
        return transport.send("PUT", path(collection, id), Json.tree(row));
    }

    /** Changes fields of a row. Null removes a field. The fields are a map, or an object that Jackson can write. */
    public JsonNode patch(String collection, String id, Object fields) {
        return transport.send("PATCH", path(collection, id), Json.tree(fields));
    }

    /** Deletes a row and the rows that cannot exist without it. */
    public void delete(String collection, String id) {
        transport.delete(path(collection, id));
    }

    private String path(String collection, String id) {
        return "/state" + Query.path(collection, id) + (events ? "?events=true" : "");
    }
}
