package dev.understudy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

@Understudy
class SettingsTest {
    @Test
    void settingsReachEnvironmentsOfAJoinedService(UnderstudyService service) {
        EngineTestKit.engine("junit-jupiter")
                .configurationParameter("understudy.url", service.httpUrl())
                .configurationParameter("understudy.fixture", "empty")
                .selectors(selectClass(EmptyOne.class))
                .execute()
                .testEvents()
                .assertStatistics(stats -> stats.succeeded(1));
    }

    @Test
    void settingsStartAServiceWithItsFolders(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("mine.json"), "{\"include\":[\"empty\"]}");
        Path scenarios = Files.createDirectory(folder.resolve("scenarios"));
        Files.writeString(scenarios.resolve("own.yaml"), "name: own\nrules: [{ on: '*', reply: { error: unavailable } }]\n");

        EngineTestKit.engine("junit-jupiter")
                .configurationParameter("understudy.command", Caller.COMMAND)
                .configurationParameter("understudy.fixture", "mine")
                .configurationParameter("understudy.fixtures", folder.toString())
                .configurationParameter("understudy.scenarios", scenarios.toString())
                .configurationParameter("understudy.seed", "7")
                .selectors(selectClass(EmptyOne.class), selectClass(WithOwnScenario.class))
                .execute()
                .testEvents()
                .assertStatistics(stats -> stats.succeeded(2));
    }

    @Test
    void aReportIsThereWhenTheTestsHaveEnded(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("run.md");

        EngineTestKit.engine("junit-jupiter")
                .configurationParameter("understudy.command", Caller.COMMAND)
                .configurationParameter("understudy.report", file.toString())
                .selectors(selectClass(OneThatFails.class))
                .execute()
                .testEvents()
                .assertStatistics(stats -> stats.failed(1));

        String report = Files.readString(file);
        assertTrue(report.startsWith("### Understudy: 0 of 2 calls failed\n"), report);
    }

    @Test
    void aContainerCannotWriteAReport() {
        StartOptions options = new StartOptions().image("understudy").report("run.html");

        StartException error = assertThrows(StartException.class, () -> options.container("docker"));

        assertEquals(
                "a container cannot write a report here: start Understudy with its executable (UNDERSTUDY_BIN) or a command",
                error.getMessage());
    }

    @Understudy
    static class OneThatFails {
        @Test
        void fails(UnderstudyEnvironment environment) {
            new Caller(environment).getOrganization(Caller.ACME);
            throw new AssertionError("as it is meant to");
        }
    }

    @Understudy
    static class EmptyOne {
        @Test
        void isEmpty(UnderstudyEnvironment environment) {
            assertEquals(0, environment.state().all().path("organizations").size());
        }
    }

    @Understudy(scenarios = "own")
    static class WithOwnScenario {
        @Test
        void hasIt(UnderstudyEnvironment environment) {
            assertEquals("own", environment.scenarios().loaded().get(0).path("name").asText());
        }
    }

    @Test
    void aSeedThatIsNoNumber() {
        EngineExecutionResults results = EngineTestKit.engine("junit-jupiter")
                .configurationParameter("understudy.seed", "many")
                .selectors(selectClass(EmptyOne.class))
                .execute();

        ExtensionTest.assertFailsWith("understudy.seed must be a whole number, not many", results);
    }
}
