package dev.understudy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** JSON as trees. */
final class Json {
    static final ObjectMapper MAPPER =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ObjectNode object(Map<String, ?> values) {
        return MAPPER.valueToTree(values);
    }

    static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    static <T> T as(JsonNode value, Class<T> type) {
        try {
            return MAPPER.treeToValue(value, type);
        } catch (JsonProcessingException error) {
            throw new UnderstudyException("not a " + type.getSimpleName() + ": " + value, error);
        }
    }

    static JsonNode parse(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException error) {
            throw new UnderstudyException("not JSON: " + text, error);
        }
    }

    static <T> List<T> list(JsonNode array, Function<JsonNode, T> read) {
        List<T> found = new ArrayList<>();
        array.forEach(each -> found.add(read.apply(each)));
        return found;
    }
}
