package dev.understudy;

import static dev.understudy.Caller.ACME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

@Understudy
class EnvironmentTest {
    @Test
    void twoEnvironmentsAreIsolated(UnderstudyService service) {
        try (UnderstudyEnvironment one = service.environment();
                UnderstudyEnvironment other = service.environment()) {
            rename(one);

            assertEquals("Acme AG", nameIn(one));
            assertNotEquals("Acme AG", nameIn(other));
            assertNotEquals(one.clientId(), other.clientId());
        }
    }

    @Test
    void anEnvironmentCanBeDroppedTwice(UnderstudyService service) {
        UnderstudyEnvironment environment = service.environment(new EnvironmentOptions().name("for-a-while"));
        assertTrue(service.environments().contains("for-a-while"));
        environment.close();
        environment.drop();

        assertFalse(service.environments().contains("for-a-while"));
        assertEquals(404, assertThrows(ControlException.class, () -> environment.clock().now()).status());
    }

    @Test
    void aLaterEnvironmentOfTheSameNameHasAnotherSecret(UnderstudyService service) {
        assertNotEquals(secretOf(service, 7), secretOf(service, 7));
    }

    @Test
    void aForkContinuesFromTheState(UnderstudyEnvironment environment) {
        rename(environment);
        try (UnderstudyEnvironment fork = environment.fork()) {
            assertEquals("Acme AG", nameIn(fork));
            assertNotEquals(environment.name(), fork.name());
        }
    }

    @Test
    void environmentsAtRestComeInPages(UnderstudyService service) throws IOException {
        Map<String, String> pages = Map.of(
                "limit=1000", "{\"environments\":[{\"name\":\"default\"},{\"name\":\"at-rest-1\"}],\"next\":\"at-rest-1\"}",
                "limit=1000&since=at-rest-1", "{\"environments\":[{\"name\":\"at-rest-2\"}]}");
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        Transport real = Transport.to(service.httpUrl(), null);
        server.createContext("/_control/v1/health", exchange -> answer(exchange, real.text("/health")));
        server.createContext("/_control/v1/ca.pem", exchange -> answer(exchange, real.text("/ca.pem")));
        server.createContext(
                "/_control/v1/environments",
                exchange -> answer(exchange, pages.get(exchange.getRequestURI().getQuery())));
        server.start();
        try (UnderstudyService many =
                UnderstudyService.connect("http://127.0.0.1:" + server.getAddress().getPort())) {
            assertEquals(List.of("default", "at-rest-1", "at-rest-2"), many.environments());
        } finally {
            server.stop(0);
        }
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Test
    void rowsComeFilteredSortedAndInPages(UnderstudyService service) {
        try (UnderstudyEnvironment environment = service.environment(new EnvironmentOptions().fixture("empty"))) {
            List<String> names = List.of("Zebra", "Ant", "Mole");
            for (int index = 0; index < names.size(); index++) {
                Map<String, Object> row = Map.of(
                        "display_name", names.get(index), "region_code", "US", "metadata", Map.of(),
                        "create_time", "now", "update_time", "now");
                environment.state().put("organizations", "org_" + (index + 1), row);
            }

            assertEquals(List.of("org_2"), idsOf(environment, new RowFilter().limit(1).offset(1)));
            assertEquals(
                    List.of("org_1", "org_3", "org_2"),
                    idsOf(environment, new RowFilter().sort("display_name").reverse()));
            assertEquals(List.of("org_3"), idsOf(environment, new RowFilter().contains("mole us")));
        }
    }

    private static List<String> idsOf(UnderstudyEnvironment environment, RowFilter filter) {
        return environment.state().list("organizations", filter).stream()
                .map(row -> row.path("id").asText())
                .collect(Collectors.toList());
    }

    @Test
    void rowsCanBeWrittenAndDeleted(UnderstudyEnvironment environment) {
        State state = environment.state();
        String before = state.hash();
        Map<String, ?> row = Map.of(
                "display_name", "Globex",
                "region_code", "US",
                "metadata", Map.of(),
                "create_time", "now",
                "update_time", "now");

        assertEquals("Globex", state.put("organizations", "org_1", row).path("display_name").asText());
        assertTrue(state.list("organizations").stream().anyMatch(each -> each.path("id").asText().equals("org_1")));
        assertEquals(state.list("organizations").size(), state.counts().get("organizations"));
        state.delete("organizations", "org_1");
        assertEquals(before, state.hash());
        state.replace(Map.of("include", List.of("empty")));
        assertEquals(0, state.all().path("organizations").size());
    }

    @Test
    void nullRemovesAField(UnderstudyEnvironment environment) {
        environment.state().patch("organizations", ACME, Map.of("external_id", "acme"));
        environment.state().patch("organizations", ACME, Collections.singletonMap("external_id", null));

        assertTrue(environment.state().get("organizations", ACME).path("external_id").isMissingNode());
    }

    @Test
    void aResetCanBeOfParts(UnderstudyEnvironment environment) {
        rename(environment);
        environment.clock().advance(Duration.ofHours(1));

        environment.reset("clock");
        assertEquals("real", environment.clock().mode());
        assertEquals("Acme AG", nameIn(environment));
        environment.reset();
        assertNotEquals("Acme AG", nameIn(environment));
    }

    @Test
    void aSavePointCanBeRestored(UnderstudyEnvironment environment) {
        environment.snapshots().take("start");
        environment.state().delete("organizations", ACME);

        environment.snapshots().restore("start");

        assertEquals(ACME, environment.state().get("organizations", ACME).path("id").asText());
        assertEquals(List.of("start"), environment.snapshots().list());
        environment.snapshots().delete("start");
        assertEquals(List.of(), environment.snapshots().list());
    }

    /** A row as a test wants to see it. */
    static final class Organization {
        @JsonProperty("display_name")
        String name;

        @JsonProperty("region_code")
        String region;
    }

    @Test
    void rowsCanBeObjects(UnderstudyEnvironment environment) {
        Organization globex = new Organization();
        globex.name = "Globex";
        globex.region = "US";
        environment.state().put("organizations", "org_1", globex);

        assertEquals("Globex", environment.state().get("organizations", "org_1", Organization.class).name);
        RowFilter named = new RowFilter().where(Map.of("display_name", "Globex"));
        assertEquals(
                "US", environment.state().list("organizations", named, Organization.class).get(0).region);
    }

    @Test
    void theClockTakesInstantsAndDurations(UnderstudyService service) {
        Instant start = Instant.parse("2030-01-01T09:00:00Z");
        try (UnderstudyEnvironment environment = service.environment(new EnvironmentOptions().clock(start))) {
            Clock clock = environment.clock();
            clock.advance(Duration.ofHours(1));
            clock.advance(Duration.ofMinutes(30));
            assertEquals(Instant.parse("2030-01-01T10:30:00Z"), clock.now());
            clock.freeze(Instant.parse("2031-01-01T00:00:00Z"));
            assertEquals(Instant.parse("2031-01-01T00:00:00Z"), clock.now());
            clock.offset(Duration.ofHours(-2));
            assertEquals("offset", clock.mode());
            clock.real();
            assertEquals("real", clock.mode());
            clock.freeze();
            assertEquals("frozen", clock.mode());
        }
    }

    @Test
    void aScenarioAppliesWithItsParameters(UnderstudyEnvironment environment) {
        Caller caller = new Caller(environment);
        environment.scenario("rate-limit-once", Map.of("retry_after", 5));

        HttpResponse<String> refused = caller.getOrganization(ACME);

        assertEquals(429, refused.statusCode());
        assertEquals("5", refused.headers().firstValue("retry-after").orElse(""));
        assertEquals(200, caller.getOrganization(ACME).statusCode());
        assertEquals(1, environment.scenarios().get("rate-limit-once").at("/rules/0/hits").asInt());
    }

    @Test
    void scenariosCanBeMapsAndYamlAndBeUnloaded(UnderstudyEnvironment environment) {
        Caller caller = new Caller(environment);
        Scenarios scenarios = environment.scenarios();
        scenarios.load(Map.of(
                "name", "own",
                "rules", List.of(Map.of("on", "OrganizationService_*", "reply", Map.of("error", "unavailable")))));
        scenarios.loadYaml("name: second\nrules: [{ on: UserService_*, reply: { error: unavailable } }]\n");
        assertEquals(503, caller.getOrganization(ACME).statusCode());
        assertEquals(2, scenarios.loaded().size());
        assertFalse(scenarios.available().isEmpty());

        scenarios.unload("own");

        assertEquals(200, caller.getOrganization(ACME).statusCode());
        scenarios.unloadAll();
        assertEquals(List.of(), scenarios.loaded());
    }

    @Test
    void aMailHasItsCode(UnderstudyEnvironment environment) {
        new Caller(environment).post("/api/v1/passwordless/email/send", "{\"email\":\"ada@acme.example\"}");

        Mail mail = environment.mail().await(new MailFilter().to("*@acme.example").kind("passwordless"));

        assertTrue(mail.text().contains(mail.code()));
        assertEquals(mail.json(), environment.mail().list().get(0).json());
        assertEquals(mail.json(), environment.mail().get(mail.id()).json());
        environment.mail().clear();
        assertEquals(List.of(), environment.mail().list(new MailFilter().to("ada@acme.example")));
    }

    @Test
    void coverageCountsTheCalls(UnderstudyEnvironment environment) {
        new Caller(environment).getOrganization(ACME);

        List<Integer> calls = Json.list(environment.coverage().path("operations"), each -> each.path("id")
                        .asText()
                        .equals("OrganizationService_GetOrganization")
                ? each.path("calls").asInt()
                : 0);

        assertTrue(calls.contains(1));
    }

    @Test
    void theVariablesAreThoseOfTheSdk(UnderstudyEnvironment environment) {
        assertEquals(environment.url(), environment.variables().get("SCALEKIT_ENVIRONMENT_URL"));
        assertEquals(environment.clientSecret(), environment.variables().get("SCALEKIT_CLIENT_SECRET"));
        assertTrue(environment.browserUrl().startsWith("http://" + environment.name() + ".localhost:"));
    }

    @Test
    void theEnvironmentDefaultBelongsToTheService(UnderstudyService service) {
        assertEquals("default", service.defaultEnvironment().name());
        assertFalse(service.version().isEmpty());
    }

    private static String secretOf(UnderstudyService service, int seed) {
        try (UnderstudyEnvironment made =
                service.environment(new EnvironmentOptions().name("seeded").seed(seed))) {
            return made.clientSecret();
        }
    }

    private static void rename(UnderstudyEnvironment environment) {
        environment.state().patch("organizations", ACME, Map.of("display_name", "Acme AG"));
    }

    private static String nameIn(UnderstudyEnvironment environment) {
        return environment.state().get("organizations", ACME).path("display_name").asText();
    }
}
