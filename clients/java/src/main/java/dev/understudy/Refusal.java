package dev.understudy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Turns a refusal of the control API into an exception whose message shows what came instead. */
final class Refusal {
    private static final int REQUEST_TIMEOUT = 408;
    private static final int NOT_VERIFIED = 422;
    private static final int LONGEST_PAGE = 200;

    private Refusal() {}

    static UnderstudyException of(String call, int status, String text) {
        JsonNode body = parse(text);
        if (!body.path("message").isTextual()) {
            String shown = text.substring(0, Math.min(text.length(), LONGEST_PAGE));
            return new NotReachableException("no Understudy at " + call + ": " + status + " " + shown);
        }
        if (status == REQUEST_TIMEOUT) return new WaitException(waitMessage(body), call, status, body);
        if (status == NOT_VERIFIED && body.path("nearest").isArray())
            return new VerificationException(verificationMessage(body), call, status, body);
        return new ControlException(message(body), call, status, body);
    }

    private static JsonNode parse(String text) {
        try {
            return Json.MAPPER.readTree(text);
        } catch (JsonProcessingException pageOfAnotherServer) {
            return Json.MAPPER.missingNode();
        }
    }

    /** Adds a line for each violation that the message does not contain. */
    private static String message(JsonNode body) {
        String message = body.path("message").asText();
        List<String> lines = new ArrayList<>(List.of(message));
        for (JsonNode violation : ControlException.violationsIn(body)) {
            String field = violation.path("field").asText();
            String description = violation.path("description").asText();
            if (!message.replace(field + ": ", "").contains(description)) lines.add("  " + field + ": " + description);
        }
        return String.join("\n", lines);
    }

    private static String waitMessage(JsonNode body) {
        List<String> lines = new ArrayList<>(List.of(body.path("message").asText()));
        body.path("requests").forEach(call -> lines.add("  " + call(call)));
        addNearest(lines, body.path("nearest"));
        body.path("others").forEach(item -> lines.add(other(item)));
        return String.join("\n", lines);
    }

    private static String other(JsonNode item) {
        if (item.has("event_type")) {
            String latest = item.has("latest") ? ", " + item.path("latest").asText() : "";
            return "  other delivery: " + item.path("event_type").asText() + " to " + item.path("endpoint_id").asText()
                    + ", " + item.path("status").asText() + latest + " (" + item.path("id").asText() + ")";
        }
        if (item.has("url"))
            return "  other call: " + item.path("kind").asText() + " to " + item.path("url").asText() + ", "
                    + item.path("status").asText() + " (" + item.path("id").asText() + ")";
        return "  other mail: " + item.path("kind").asText() + " to " + item.path("to").asText() + ", "
                + item.path("subject");
    }

    /** Shows the calls that match if there are too many, or else the nearest ones. */
    private static String verificationMessage(JsonNode body) {
        JsonNode expected = body.path("expected");
        int most = Math.min(
                expected.path("times").asInt(Integer.MAX_VALUE), expected.path("at_most").asInt(Integer.MAX_VALUE));
        List<String> lines = new ArrayList<>(List.of(body.path("message").asText()));
        if (body.path("count").asInt() > most) {
            List<String> ids = new ArrayList<>();
            body.path("matching").forEach(id -> ids.add(id.asText()));
            lines.add("  those that match: " + String.join(", ", ids));
        } else addNearest(lines, body.path("nearest"));
        return String.join("\n", lines);
    }

    private static void addNearest(List<String> lines, JsonNode nearest) {
        if (nearest.size() > 0) lines.add("the nearest:");
        for (JsonNode each : nearest) {
            lines.add("  " + call(each));
            for (JsonNode difference : each.path("differences")) {
                String field = difference.path("field").asText();
                String actual = difference.has("actual") ? difference.path("actual").toString() : "absent";
                lines.add("    " + field + "  expected " + difference.path("expected"));
                lines.add("    " + " ".repeat(field.length()) + "  was      " + actual);
            }
        }
    }

    private static String call(JsonNode call) {
        return call.path("method").asText() + " " + call.path("path").asText() + " " + call.path("status").asText()
                + " (" + call.path("id").asText() + ")";
    }
}
