package dev.understudy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs where Docker has the image: {@code docker build -t understudy .} */
class UnderstudyContainerTest {
    @BeforeAll
    static void dockerHasTheImage() throws InterruptedException {
        try {
            ProcessBuilder command = new ProcessBuilder("docker", "image", "inspect", "understudy");
            Process process = command.redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            assumeTrue(process.waitFor() == 0, "Docker has no image `understudy`");
        } catch (IOException missing) {
            assumeTrue(false, "there is no docker");
        }
    }

    @Test
    void aContainerHasFoldersAndATokenAndACertificate(@TempDir Path scenarios, @TempDir Path fixtures) throws Exception {
        Files.writeString(scenarios.resolve("own.yaml"), "name: own\nrules: [{ on: '*', reply: { error: unavailable } }]\n");
        Files.copy(Path.of("../../fixtures/empty.json"), fixtures.resolve("no-rows.json"));

        try (UnderstudyContainer container = new UnderstudyContainer("understudy")
                .withScenarioFolder(scenarios)
                .withFixtureFolder(fixtures)
                .withControlToken("let-me-in")) {
            container.start();
            UnderstudyService service = container.connect();

            try (UnderstudyEnvironment env = service.environment(new EnvironmentOptions().fixture("no-rows"))) {
                assertTrue(env.accessToken().startsWith("ey"));
                assertEquals(0, env.state().all().path("organizations").size());
                env.scenario("own");
            }
            String url = container.httpUrl();
            assertThrows(ControlException.class, () -> UnderstudyService.connect(url, "wrong", Duration.ZERO).environments());
            HttpRequest health = HttpRequest.newBuilder(URI.create(container.url() + "/_control/v1/health")).build();
            assertEquals(200, HttpClient.newHttpClient().send(health, BodyHandlers.ofString()).statusCode());
        }
    }
}
