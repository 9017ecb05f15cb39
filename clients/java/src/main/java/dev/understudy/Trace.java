package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call with all that it caused. */
public final class Trace {
    private final JsonNode json;

    Trace(JsonNode json) {
        this.json = json;
    }

    /** The id of the call. */
    public String call() {
        return json.path("call").asText();
    }

    /** The call and all that it caused. A step follows the one that caused it. */
    public List<Step> steps() {
        return Json.list(json.path("steps"), Step::new);
    }

    /** Everything that the control API says of it. */
    public JsonNode json() {
        return json;
    }

    /** One line for each step, below the one that caused it. */
    @Override
    public String toString() {
        return String.join("\n", Json.list(json.path("steps"), each -> new Step(each).toString()));
    }

    /** A call, or something that it caused. */
    public static final class Step {
        private final JsonNode json;

        Step(JsonNode json) {
            this.json = json;
        }

        /** Zero for the call. The cause of a step is the nearest one above it with a smaller depth. */
        public int depth() {
            return json.path("depth").asInt();
        }

        /** Such as {@code row}, {@code event}, {@code delivery}, {@code mail} or {@code due}. */
        public String kind() {
            return json.path("kind").asText();
        }

        /** What happened, or what is due. */
        public String text() {
            return json.path("text").asText();
        }

        /** The row, as {@code collection/id}, or null. */
        public @Nullable String row() {
            return json.path("row").asText(null);
        }

        /** Everything that the control API says of it, such as its times. */
        public JsonNode json() {
            return json;
        }

        @Override
        public String toString() {
            return "  ".repeat(depth()) + text();
        }
    }
}
