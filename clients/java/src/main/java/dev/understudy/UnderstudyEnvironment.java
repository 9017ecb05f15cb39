package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** An isolated copy of everything: rows, clock, scenarios, journal, mails and webhooks. */
public final class UnderstudyEnvironment implements AutoCloseable {
    private static final int NOT_FOUND = 404;
    private static final int JOURNAL_LIMIT = 50;
    private static final int LONGEST_TEST_NAME = 1000;
    private static final int LONGEST_FAILURE = 10_000;

    private final Transport service;
    private final Transport transport;
    private final String httpUrl;
    private final String name;
    private final String clientId;
    private final String clientSecret;
    private volatile boolean isKept;

    UnderstudyEnvironment(Transport service, String httpUrl, JsonNode made) {
        this.service = service;
        this.httpUrl = httpUrl;
        this.name = made.path("name").asText();
        this.clientId = made.path("client_id").asText();
        this.clientSecret = made.path("client_secret").asText();
        this.transport = service.of(name);
    }

    /** The name of the environment. */
    public String name() {
        return name;
    }

    /** The address for the SDK, which uses TLS only. The credentials select this environment. */
    public String url() {
        return Addresses.withTls(httpUrl);
    }

    /** The address without TLS, for programs that need none. */
    public String httpUrl() {
        return httpUrl;
    }

    /** The address for a browser that has no credentials yet. */
    public String browserUrl() {
        return Addresses.forBrowser(httpUrl, name);
    }

    /** The client id for the SDK. */
    public String clientId() {
        return clientId;
    }

    /** The client secret for the SDK. */
    public String clientSecret() {
        return clientSecret;
    }

    /** Headers for a call without credentials: they select this environment. */
    public Map<String, String> headers() {
        return Map.of("understudy-environment", name);
    }

    /** The variables that programs give to the SDK, for a child process. */
    public Map<String, String> variables() {
        return Map.of(
                "SCALEKIT_ENVIRONMENT_URL", url(),
                "SCALEKIT_ENV_URL", url(),
                "SCALEKIT_CLIENT_ID", clientId,
                "SCALEKIT_CLIENT_SECRET", clientSecret);
    }

    /** Loads a scenario by name. */
    public void scenario(String scenario) {
        scenarios().load(scenario);
    }

    /** Loads a scenario by name, with parameters: {@code scenario("rate-limit-once", Map.of("retry_after", 5))}. */
    public void scenario(String scenario, Map<String, ?> params) {
        scenarios().load(scenario, params);
    }

    /** Simulated failures and states. */
    public Scenarios scenarios() {
        return new Scenarios(transport);
    }

    /** The clock. */
    public Clock clock() {
        return new Clock(transport);
    }

    /** The stored rows. */
    public State state() {
        return new State(transport);
    }

    /** The journal: every call with its answer. */
    public Requests requests() {
        return new Requests(transport);
    }

    /** The mails that the service would have sent. */
    public Mails mail() {
        return new Mails(transport);
    }

    /** Webhook endpoints and deliveries. */
    public Webhooks webhooks() {
        return new Webhooks(transport);
    }

    /** Named copies of the environment. */
    public Snapshots snapshots() {
        return new Snapshots(transport);
    }

    /**
     * An identity provider that pushes people and groups to a directory: {@code okta}, {@code entra}, {@code google} or
     * {@code generic}.
     */
    public Idp idp(String provider) {
        return idp().with("provider", provider);
    }

    /** The identity provider of the directory that has the person. */
    public Idp idp() {
        return new Idp(transport, Json.object());
    }

    /** An authenticator of passkeys without a browser. */
    public Passkeys passkeys() {
        return new Passkeys(transport);
    }

    /** The authenticator app of a user, by id or e-mail address. */
    public Totp totp(String user) {
        return new Totp(transport, user);
    }

    /** An access token of the environment's own client, for code that is given a token. */
    public String accessToken() {
        return new TokenRequests(httpUrl, clientId, clientSecret).clientToken();
    }

    /** Signs a user in without a browser. Throws an {@link UnderstudyException} if the sign-in is refused. */
    public Tokens signIn(String email) {
        return new TokenRequests(url(), clientId, clientSecret).userTokens(email);
    }

    /** Gives access to a connected account, {@code ca_…}, as its user does on the pages of the third party. */
    public JsonNode authorizeAccount(String id) {
        JsonNode confirmed = Json.object(Map.of("user_verify", Map.of("confirm", true)));
        return transport.post("/connected_accounts" + Query.path(id, "authorize"), confirmed);
    }

    /** Resets the environment to its fixture. */
    public void reset() {
        transport.post("/reset");
    }

    /** Resets parts: {@code state}, {@code requests}, {@code mail}, {@code webhooks}, {@code scenarios}, {@code clock}. */
    public void reset(String... only) {
        transport.post("/reset" + Query.of("only", String.join(",", only)).text());
    }

    /**
     * Signs new tokens with a new key, whose {@code kid} it returns. {@code /keys} lists the former ones for a day of the
     * environment's clock; then their tokens are refused.
     */
    public String rotateKeys() {
        return transport.post("/keys/rotate").path("kid").asText();
    }

    /** As {@link #rotateKeys()}, with another time than a day. If it is zero, the former keys are gone at once. */
    public String rotateKeys(Duration overlap) {
        JsonNode body = Json.object(Map.of("overlap", Times.text(overlap)));
        return transport.post("/keys/rotate", body).path("kid").asText();
    }

    /** Which parts of the API the calls to this environment have used. */
    public JsonNode coverage() {
        return transport.get("/coverage", Query.of("format", "json"));
    }

    /** The latest 50 calls as text: a line each, and the reasons below those that failed. */
    public String journal() {
        List<JsonNode> entries = Json.list(
                transport.get("/requests", Query.of("limit", JOURNAL_LIMIT).with("why", "true")).path("requests"), each -> each);
        if (entries.isEmpty()) return "no calls";
        return entries.stream().map(Explanation::summaryOf).collect(Collectors.joining("\n"));
    }

    /** Copies the environment with its current state, to try several continuations of one setup. Close the copy. */
    public UnderstudyEnvironment fork() {
        return fork(Json.object());
    }

    /**
     * Copies the environment as it was: after a request such as {@code req_17}, at a time, or after a number of commits.
     * Close the copy.
     */
    public UnderstudyEnvironment forkAt(String moment) {
        return fork(Json.object().put("at", moment));
    }

    private UnderstudyEnvironment fork(JsonNode body) {
        JsonNode made = service.post("/environments" + Query.path(name, "fork"), body);
        return new UnderstudyEnvironment(service, httpUrl, made);
    }

    /**
     * One compressed file with everything of the environment up to now, without secrets. {@code understudy open} shows it on
     * any machine, and {@code understudy replay} makes its calls again.
     */
    public byte[] bundle() {
        return transport.bytes("GET", "/bundle", BodyPublishers.noBody());
    }

    /** As {@link #bundle()}. The file also names the test that it is for, and what the test has said when it failed. */
    public byte[] bundle(String test, String failure) {
        JsonNode body = Json.object()
                .put("test", beginning(test, LONGEST_TEST_NAME))
                .put("failure", beginning(failure, LONGEST_FAILURE));
        return transport.bytes("POST", "/bundle", BodyPublishers.ofString(body.toString()));
    }

    private static String beginning(String text, int length) {
        return text.substring(0, Math.min(text.length(), length));
    }

    /**
     * Keeps the environment for a test that has ended, so that {@code understudy requests --test} and the dashboard find
     * it. The environments of 50 tests are kept, and the next one drops the oldest.
     */
    public void keep(String test, Outcome outcome) {
        String name = beginning(test, LONGEST_TEST_NAME);
        String ended = outcome.name().toLowerCase(Locale.ROOT);
        transport.post("/keep", Json.object().put("test", name).put("outcome", ended));
        isKept = true;
    }

    boolean isKept() {
        return isKept;
    }

    /** Removes the environment. Does nothing if it is already gone. */
    public void drop() {
        try {
            service.delete("/environments" + Query.path(name));
        } catch (ControlException refused) {
            if (refused.status() != NOT_FOUND) throw refused;
        }
    }

    /** Removes the environment, as {@link #drop} does, unless {@link #keep} has kept it. */
    @Override
    public void close() {
        if (!isKept) drop();
    }

    @Override
    public String toString() {
        return name + " at " + httpUrl;
    }
}
