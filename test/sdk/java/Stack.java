import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Calls every RPC with the packages that the official SDK for Java uses, with the steps of ../stack/calls.
 */
final class Stack {
  private static final Path STEPS = Path.of("../stack");
  private static int passed;
  private static int failed;

  private Stack() {}

  public static void main(String[] arguments) throws Exception {
    var rpcs = new Rpcs(Path.of(System.getenv("UNDERSTUDY_DESCRIPTORS")));
    var url = System.getenv("UNDERSTUDY_TLS_URL");
    var control = new Control(System.getenv("UNDERSTUDY_CONTROL"));
    try (var client = new Client(url, URI.create(url).getHost(), URI.create(url).getPort(), rpcs)) {
      playAll(client, control, rpcs);
      count("a stale token is renewed", () -> client.useToken("stale"), () -> getAcme(client, rpcs));
    }
    var on443 = System.getenv("SCALEKIT_ENVIRONMENT_URL");
    if (on443 != null) {
      try (var client = new Client(on443, URI.create(on443).toURL().getAuthority(), 443, rpcs)) {
        count("as the SDK dials: 443", () -> {}, () -> getAcme(client, rpcs));
      }
    }
    System.out.println(passed + " passed, " + failed + " failed");
    System.exit(failed > 0 ? 1 : 0);
  }

  private static void playAll(Client client, Control control, Rpcs rpcs) throws Exception {
    var called = new HashSet<String>();
    try (var files = Files.list(STEPS.resolve("calls"))) {
      for (var file : files.sorted().toList()) {
        control.reset();
        var area = new Area(client, control);
        for (var line : Files.readAllLines(file)) playStep(area, rpcs, JsonParser.parseString(line).getAsJsonObject(), called);
      }
    }
    checkAllCalled(rpcs, called, client);
  }

  private static void playStep(Area area, Rpcs rpcs, JsonObject step, Set<String> called) {
    if (!step.has("rpc")) return;
    var name = step.get("rpc").getAsString();
    called.add(name);
    count(name, () -> {}, () -> area.play(rpcs.methods.get(name), step));
  }

  /** Fails for each implemented RPC that no step calls. */
  private static void checkAllCalled(Rpcs rpcs, Set<String> called, Client client) throws Exception {
    var reasons = JsonParser.parseString(Files.readString(STEPS.resolve("uncalled.json"))).getAsJsonObject();
    var unimplemented = new JsonObject();
    unimplemented.addProperty("fails", "UNIMPLEMENTED");
    var area = new Area(client, null);
    for (var each : rpcs.methods.entrySet())
      if (!called.contains(each.getKey()) && !reasons.has(each.getKey()))
        count(each.getKey() + " is called nowhere", () -> {}, () -> area.play(each.getValue(), unimplemented));
  }

  private static void getAcme(Client client, Rpcs rpcs) throws Exception {
    var message = new JsonObject();
    message.addProperty("id", "org_10000000000000001");
    var answer = client.call(rpcs.methods.get("OrganizationService/GetOrganization"), message);
    Area.check(Values.text(answer, "organization.id").equals("org_10000000000000001"), answer.toString());
  }

  private interface Act {
    void run() throws Exception;
  }

  private static void count(String name, Act before, Act check) {
    try {
      before.run();
      check.run();
      passed++;
    } catch (Exception | AssertionError failure) {
      failed++;
      System.out.println("FAIL " + name + ": " + failure);
    }
  }
}
