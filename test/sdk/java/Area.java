import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Descriptors.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import java.util.HashMap;
import java.util.Map;

/** Runs the steps of one area; ../go/calls_test.go describes a step. */
final class Area {
  private final Client client;
  private final Control control;
  private final Map<String, String> kept = new HashMap<>();

  Area(Client client, Control control) {
    this.client = client;
    this.control = control;
  }

  void play(MethodDescriptor method, JsonObject step) throws Exception {
    var message = Values.fill(step.has("send") ? step.get("send") : new JsonObject(), kept);
    if (step.has("scenario")) control.load(step.get("scenario").getAsString());
    try {
      if (step.has("pages")) readPages(method, message.getAsJsonObject(), step.get("pages").getAsString());
      else if (step.has("fails")) checkFailure(method, message, step);
      else checkAnswer(client.call(method, message), step);
    } finally {
      if (step.has("scenario")) control.unload();
    }
  }

  private void checkAnswer(JsonElement answer, JsonObject step) {
    members(step, "has").forEach((path, wanted) -> {
      var found = Values.at(answer, path);
      var isAny = wanted.toString().equals("\"*\"");
      var isEqual = isAny || found != null && found.getAsString().equals(Values.fill(wanted, kept).getAsString());
      check(found != null && isEqual, path + " is not " + wanted + " in " + answer);
    });
    members(step, "keep").forEach((name, path) -> {
      check(Values.at(answer, path.getAsString()) != null, "no " + path + " in " + answer);
      kept.put(name, Values.text(answer, path.getAsString()));
    });
  }

  private static Map<String, JsonElement> members(JsonObject step, String name) {
    var found = new HashMap<String, JsonElement>();
    if (step.has(name)) step.getAsJsonObject(name).entrySet().forEach(each -> found.put(each.getKey(), each.getValue()));
    return found;
  }

  private void checkFailure(MethodDescriptor method, JsonElement message, JsonObject step) throws Exception {
    try {
      var answer = client.call(method, message);
      throw new AssertionError("succeeded, wants " + step.get("fails") + ": " + answer);
    } catch (StatusRuntimeException failure) {
      var details = client.detailsOf(failure);
      var told = failure.getStatus() + " " + details;
      check(failure.getStatus().getCode().name().equals(step.get("fails").getAsString()), told);
      check(!details.isEmpty() && !Values.text(details.get(0), "errorCode").isEmpty(), "no errorCode: " + told);
      var info = details.get(0);
      if (step.has("says")) check(step.get("says").getAsString().equals(failure.getStatus().getDescription()), told);
      if (step.has("errorCode"))
        check(Values.text(info, "errorCode").equals(step.get("errorCode").getAsString()), told);
      if (step.has("tool"))
        check(Values.text(info, "toolErrorInfo.toolErrorCode").equals(step.get("tool").getAsString()), told);
    }
  }

  /** Reads a list one row at a time, and expects the same rows as in a page of the default size. */
  private void readPages(MethodDescriptor method, JsonObject message, String rows) throws Exception {
    var all = Values.at(client.call(method, message), rows).getAsJsonArray();
    check(all.size() > 1, all.size() + " rows make no pages");
    var token = "";
    for (var row : all) {
      var asked = message.deepCopy();
      asked.addProperty("pageSize", 1);
      asked.addProperty("pageToken", token);
      var page = client.call(method, asked);
      var wanted = new JsonArray();
      wanted.add(row);
      check(wanted.equals(Values.at(page, rows)), page + " is not the page of " + row);
      token = Values.text(page, "nextPageToken");
    }
  }

  static void check(boolean isSo, String otherwise) {
    if (!isSo) throw new AssertionError(otherwise);
  }
}
