package dev.understudy;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The query of a call. Values that are null are left out. */
final class Query {
    private final Map<String, String> values;

    private Query(Map<String, String> values) {
        this.values = values;
    }

    static Query of(String name, @Nullable Object value) {
        return none().with(name, value);
    }

    static Query none() {
        return new Query(Map.of());
    }

    /** Another query that has this parameter too. */
    Query with(String name, @Nullable Object value) {
        if (value == null) return this;
        Map<String, String> more = new LinkedHashMap<>(values);
        more.put(name, value.toString());
        return new Query(more);
    }

    /** Another query that has the parameters of both. */
    Query and(Query other) {
        Map<String, String> more = new LinkedHashMap<>(values);
        more.putAll(other.values);
        return new Query(more);
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    String text() {
        if (values.isEmpty()) return "";
        return values.entrySet().stream()
                .map(each -> escaped(each.getKey()) + "=" + escaped(each.getValue()))
                .collect(Collectors.joining("&", "?", ""));
    }

    /** A path of these segments, each escaped. */
    static String path(String... segments) {
        StringBuilder path = new StringBuilder();
        for (String segment : segments) path.append('/').append(escaped(segment));
        return path.toString();
    }

    static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
