import com.google.gson.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/** Calls the control API. */
final class Control {
  private final String url;

  Control(String url) {
    this.url = url;
  }

  void reset() throws Exception {
    send("POST", "/reset", "");
  }

  void load(String scenario) throws Exception {
    var body = new JsonObject();
    body.addProperty("name", scenario);
    send("POST", "/scenarios", body.toString());
  }

  void unload() throws Exception {
    send("DELETE", "/scenarios", "");
  }

  private void send(String verb, String path, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url + path))
        .header("content-type", "application/json")
        .version(HttpClient.Version.HTTP_1_1)
        .method(verb, BodyPublishers.ofString(body))
        .build();
    var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    Area.check(answer.statusCode() < 400, verb + " " + path + ": " + answer.statusCode() + " " + answer.body());
  }
}
