package dev.understudy;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The query of a call. Values that are null are left out. */
final class Query {
    private final Map<String, String> values = new LinkedHashMap<>();

    static Query of(String name, Object value) {
        return new Query().and(name, value);
    }

    static Query none() {
        return new Query();
    }

    Query and(String name, Object value) {
        if (value != null) values.put(name, value.toString());
        return this;
    }

    Map<String, String> values() {
        return values;
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
