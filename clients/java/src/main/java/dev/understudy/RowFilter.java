package dev.understudy;

import java.util.Map;

/** Which rows of a collection are wanted, and in which order. A filter never changes: each method returns another one. */
public final class RowFilter {
    private final Query query;

    /** All rows, oldest first. */
    public RowFilter() {
        this(Query.none());
    }

    private RowFilter(Query query) {
        this.query = query;
    }

    /** Only rows whose JSON has each of these words. Upper and lower case are the same. */
    public RowFilter contains(String words) {
        return new RowFilter(query.with("contains", words));
    }

    /** Only rows whose members have these values, such as {@code Map.of("organization_id", "org_1")}. */
    public RowFilter where(Map<String, ?> members) {
        return new RowFilter(query.with("where", Json.object(members)));
    }

    /** The member that orders the rows, such as {@code display_name}. Without it, the oldest row comes first. */
    public RowFilter sort(String member) {
        return new RowFilter(query.with("sort", member));
    }

    /** Turns the order around. */
    public RowFilter reverse() {
        return new RowFilter(query.with("reverse", true));
    }

    /** The largest number of rows, at most 1000. Without it, all. */
    public RowFilter limit(int rows) {
        return new RowFilter(query.with("limit", rows));
    }

    /** How many rows to leave out first. */
    public RowFilter offset(int rows) {
        return new RowFilter(query.with("offset", rows));
    }

    Query query() {
        return query;
    }
}
