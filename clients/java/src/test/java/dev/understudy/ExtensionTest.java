package dev.understudy;

import static dev.understudy.Caller.NO_ORGANIZATION;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.EventType;

@Understudy
class ExtensionTest {
    private static final List<String> NAMES = new ArrayList<>();

    @Test
    void eachTestHasAnEnvironmentThatIsDropped(UnderstudyService service) {
        NAMES.clear();
        List<String> before = service.environments();

        run(service, TwoTests.class).testEvents().assertStatistics(stats -> stats.succeeded(2));

        assertNotEquals(NAMES.get(0), NAMES.get(1));
        assertEquals(before, service.environments());
    }

    @ExtendWith(UnderstudyExtension.class)
    static class TwoTests {
        private UnderstudyEnvironment environment;

        @BeforeEach
        void prepare(UnderstudyEnvironment prepared) {
            environment = prepared;
        }

        @Test
        void one(UnderstudyEnvironment given) {
            assertSame(environment, given);
            NAMES.add(given.name());
        }

        @Test
        void two() {
            NAMES.add(environment.name());
        }
    }

    @Test
    void aFailedTestPublishesItsJournal(UnderstudyService service) {
        EngineExecutionResults results = run(service, OneFails.class);

        results.testEvents().assertStatistics(stats -> stats.succeeded(1).failed(1).aborted(1));
        List<Map<String, String>> entries = reports(results);
        assertEquals(1, entries.size());
        Map.Entry<String, String> only = entries.get(0).entrySet().iterator().next();
        assertTrue(only.getKey().startsWith("Understudy journal of env-"), only.getKey());
        assertTrue(only.getValue().contains("GET /api/v1/organizations/" + NO_ORGANIZATION + " 404"), only.getValue());
        String command = "\nfor more: npx understudy-server explain --environment env-";
        assertTrue(only.getValue().contains(command), only.getValue());
    }

    @Understudy
    static class OneFails {
        @Test
        void fails(UnderstudyEnvironment environment) {
            new Caller(environment).getOrganization(NO_ORGANIZATION);
            fail();
        }

        @Test
        void passes(UnderstudyEnvironment environment) {
            environment.accessToken();
        }

        @Test
        void isAborted(UnderstudyEnvironment environment) {
            Assumptions.abort();
        }
    }

    @Test
    void environmentsOfFailedTestsAreKept() {
        try (UnderstudyService service = UnderstudyService.start(Caller.checkout())) {
            EngineExecutionResults results = run(service, OneFails.class, "failed");
            run(service, OfTheClass.class, "failed");

            List<JsonNode> kept = kept(service);
            assertEquals(1, kept.size());
            assertEquals(OneFails.class.getName() + ".fails", kept.get(0).path("kept").path("test").asText());
            assertEquals("failed", kept.get(0).path("kept").path("outcome").asText());
            String place = "\nkept: " + service.httpUrl() + "/_control/#/" + kept.get(0).path("name").asText() + "/requests";
            String journal = reports(results).get(0).values().iterator().next();
            assertTrue(journal.endsWith(place), journal);
            assertEquals(2, service.environments().size());
        }
    }

    @Test
    void environmentsOfAllTestsAreKept() {
        try (UnderstudyService service = UnderstudyService.start(Caller.checkout())) {
            run(service, OneFails.class, "all");
            run(service, Repeated.class, "all");

            List<String> tests = kept(service).stream()
                    .map(each -> each.path("kept").path("test").asText() + " " + each.path("kept").path("outcome").asText())
                    .sorted()
                    .collect(Collectors.toList());
            assertEquals(
                    List.of(
                            OneFails.class.getName() + ".fails failed",
                            OneFails.class.getName() + ".passes passed",
                            Repeated.class.getName() + ".passes > round 1 of 1 passed"),
                    tests);
        }
    }

    @Understudy
    static class Repeated {
        @RepeatedTest(value = 1, name = "round {currentRepetition} of {totalRepetitions}")
        void passes(UnderstudyEnvironment environment) {}

        @Test
        void dropsIt(UnderstudyEnvironment environment) {
            environment.drop();
        }
    }

    @Test
    void anotherValueOfTheVariableIsRefused(UnderstudyService service) {
        assertFailsWith("UNDERSTUDY_KEEP must be failed or all, not yes", run(service, FailsAfterwards.class, "yes"));
    }

    @Test
    void aServiceThatTestsStartIsGoneAfterwards() {
        String journal = reports(EngineTestKit.engine("junit-jupiter")
                        .configurationParameter("understudy.keep", "failed")
                        .selectors(selectClass(FailsInItsOwn.class))
                        .execute())
                .get(0)
                .values()
                .iterator()
                .next();

        assertTrue(journal.contains("\nfor more: npx understudy-server explain --environment env-"), journal);
    }

    static class FailsInItsOwn {
        @RegisterExtension
        static final UnderstudyExtension UNDERSTUDY =
                UnderstudyExtension.builder().start(Caller.checkout()).build();

        @Test
        void fails(UnderstudyEnvironment environment) {
            fail();
        }
    }

    @Test
    void aFailureAfterATestPublishesTheJournal(UnderstudyService service) {
        EngineExecutionResults results = run(service, FailsAfterwards.class);

        assertEquals(1, reports(results).size());
    }

    @Understudy
    static class FailsAfterwards {
        @Test
        void passes(UnderstudyEnvironment environment) {
            environment.accessToken();
        }

        @AfterEach
        void check() {
            fail();
        }
    }

    @Test
    void theAnnotationSaysHowTheEnvironmentIsMade(UnderstudyService service) {
        run(service, Annotated.class).testEvents().assertStatistics(stats -> stats.succeeded(3));
    }

    @Understudy(fixture = "empty", seed = 7, clock = "2030-01-01T09:00:00Z", scenarios = "rate-limit-once")
    static class Annotated {
        @Test
        void hasTheOptionsOfTheClass(UnderstudyEnvironment environment) {
            assertEquals(0, environment.state().all().path("organizations").size());
            assertEquals(Instant.parse("2030-01-01T09:00:00Z"), environment.clock().now());
            assertEquals(1, environment.scenarios().loaded().size());
        }

        @Test
        @Understudy(strict = true)
        void hasThoseOfTheMethodInstead(UnderstudyEnvironment environment) {
            assertEquals("real", environment.clock().mode());
            int status = new Caller(environment)
                    .post("/api/v1/organizations", "{\"display_name\":\"Globex\",\"colour\":\"red\"}")
                    .statusCode();
            assertEquals(400, status);
        }

        @Nested
        class Inside {
            @Test
            void hasThoseOfTheOuterClass(UnderstudyEnvironment environment) {
                assertEquals("frozen", environment.clock().mode());
            }
        }
    }

    @Test
    void aClassCanHaveAnEnvironmentToo(UnderstudyService service) {
        List<String> before = service.environments();

        run(service, OfTheClass.class).testEvents().assertStatistics(stats -> stats.succeeded(1));

        assertEquals(before, service.environments());
    }

    @Understudy
    static class OfTheClass {
        private static String name;

        @BeforeAll
        static void prepare(UnderstudyEnvironment environment) {
            name = environment.name();
        }

        @Test
        void hasAnotherOne(UnderstudyEnvironment environment) {
            assertNotEquals(name, environment.name());
        }
    }

    @Test
    void aClassCanShareItsEnvironment(UnderstudyService service) {
        List<String> before = service.environments();

        run(service, Shared.class).testEvents().assertStatistics(stats -> stats.succeeded(3));

        assertEquals(1, Shared.NAMES.size());
        assertEquals(before, service.environments());
        assertThrows(IllegalStateException.class, () -> UnderstudyExtension.environmentOf(Shared.class));
    }

    @Understudy(perClass = true, fixture = "empty")
    static class Shared {
        private static final Set<String> NAMES = new HashSet<>();

        Shared(UnderstudyEnvironment environment) {
            NAMES.add(environment.name());
        }

        @BeforeAll
        static void seesIt() {
            NAMES.add(UnderstudyExtension.environmentOf(Shared.class).name());
        }

        @Test
        void one(UnderstudyEnvironment environment) {
            NAMES.add(environment.name());
            assertTrue(environment.state().list("organizations").isEmpty());
        }

        @Test
        void other(UnderstudyEnvironment environment) {
            NAMES.add(environment.name());
        }

        @Nested
        class Inside {
            @Test
            void too(UnderstudyEnvironment environment) {
                NAMES.add(environment.name());
            }
        }
    }

    @Test
    void anExtensionCanBeBuiltInCode(UnderstudyService service) {
        run(service, Built.class).testEvents().assertStatistics(stats -> stats.succeeded(1));
    }

    static class Built {
        @RegisterExtension
        static final UnderstudyExtension UNDERSTUDY = UnderstudyExtension.builder()
                .start(Caller.checkout().fixture("empty"))
                .environment(new EnvironmentOptions().clock(Instant.parse("2030-01-01T09:00:00Z")))
                .build();

        @Test
        void hasTheSettings(UnderstudyEnvironment environment) {
            assertEquals(Instant.parse("2030-01-01T09:00:00Z"), environment.clock().now());
            assertTrue(environment.state().list("organizations").isEmpty());
        }
    }

    @Test
    void aConstructorCannotHaveTheEnvironmentOfATest(UnderstudyService service) {
        assertFailsWith("a constructor cannot have the environment", run(service, InConstructor.class));
    }

    @Understudy
    static class InConstructor {
        InConstructor(UnderstudyEnvironment environment) {}

        @Test
        void neverRuns() {}
    }

    static void assertFailsWith(String message, EngineExecutionResults results) {
        results.testEvents()
                .assertThatEvents()
                .haveExactly(1, event(finishedWithFailure(message(text -> text.contains(message)))));
    }

    private static EngineExecutionResults run(UnderstudyService service, Class<?> tests) {
        return run(service, tests, "");
    }

    private static List<JsonNode> kept(UnderstudyService service) {
        return Json.list(Transport.to(service.httpUrl(), null)
                .get("/environments", Query.of("test", " "))
                .path("environments"), each -> each);
    }

    private static EngineExecutionResults run(UnderstudyService service, Class<?> tests, String keep) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameter("understudy.url", service.httpUrl())
                .configurationParameter("understudy.keep", keep)
                .selectors(selectClass(tests))
                .execute();
    }

    private static List<Map<String, String>> reports(EngineExecutionResults results) {
        return results.testEvents().list().stream()
                .filter(event -> event.getType() == EventType.REPORTING_ENTRY_PUBLISHED)
                .map(event -> event.getRequiredPayload(ReportEntry.class)
                        .getKeyValuePairs())
                .collect(Collectors.toList());
    }
}
