package dev.understudy;

/** Which rows of a collection are wanted, and in which order. */
public final class RowFilter {
    private String contains;
    private String sort;
    private Boolean reverse;
    private Integer limit;
    private Integer offset;

    /** Only rows whose JSON has each of these words. Upper and lower case are the same. */
    public RowFilter contains(String words) {
        contains = words;
        return this;
    }

    /** The member that orders the rows, such as {@code display_name}. Without it, the oldest row comes first. */
    public RowFilter sort(String member) {
        sort = member;
        return this;
    }

    /** Turns the order around. */
    public RowFilter reverse() {
        reverse = true;
        return this;
    }

    /** The largest number of rows, at most 1000. Without it, all. */
    public RowFilter limit(int rows) {
        limit = rows;
        return this;
    }

    /** How many rows to leave out first. */
    public RowFilter offset(int rows) {
        offset = rows;
        return this;
    }

    Query query() {
        return Query.of("contains", contains)
                .and("sort", sort)
                .and("reverse", reverse)
                .and("limit", limit)
                .and("offset", offset);
    }
}
