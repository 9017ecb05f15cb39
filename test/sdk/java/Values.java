import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Map;

/** Reads values of JSON by path, and replaces names in it. */
final class Values {
  private Values() {}

  /** The value at a path such as `roles.0.name`; null when there is none. */
  static JsonElement at(JsonElement value, String path) {
    for (var name : path.split("\\.")) {
      if (value instanceof JsonObject) value = value.getAsJsonObject().get(name);
      else if (value instanceof JsonArray) value = item(value.getAsJsonArray(), Integer.parseInt(name));
      else return null;
    }
    return value;
  }

  private static JsonElement item(JsonArray list, int index) {
    return index < list.size() ? list.get(index) : null;
  }

  /** The text at a path; empty when there is none. */
  static String text(JsonElement value, String path) {
    var found = at(value, path);
    return found == null ? "" : found.getAsString();
  }

  /** Replaces each `$NAME` by the value that was kept. */
  static JsonElement fill(JsonElement value, Map<String, String> kept) {
    if (value instanceof JsonObject) {
      var filled = new JsonObject();
      value.getAsJsonObject().entrySet().forEach(each -> filled.add(each.getKey(), fill(each.getValue(), kept)));
      return filled;
    }
    if (value instanceof JsonArray) {
      var filled = new JsonArray();
      value.getAsJsonArray().forEach(each -> filled.add(fill(each, kept)));
      return filled;
    }
    var isName = value.getAsJsonPrimitive().isString() && value.getAsString().startsWith("$");
    return isName ? new JsonPrimitive(kept.get(value.getAsString().substring(1))) : value;
  }
}
