package dev.understudy;

import static dev.understudy.Caller.checkout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartTest {
    @Test
    void aStartedServiceHasTheOptionsAndEnds(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("all.yaml"), "name: all\nrules: [{ on: '*', reply: { error: unavailable } }]\n");
        String url;

        try (UnderstudyService service =
                UnderstudyService.start(checkout().fixture("empty").seed(7).scenarioFolder(folder))) {
            UnderstudyEnvironment environment = service.defaultEnvironment();
            assertEquals(0, environment.state().all().path("organizations").size());
            environment.scenario("all");
            url = service.httpUrl();
        }

        assertThrows(NotReachableException.class, () -> UnderstudyService.connect(url, null, Duration.ZERO));
    }

    @Test
    void aMistakeInAFlagIsTheMessage() {
        StartException failure = failureOf(checkout().fixture("nowhere"));

        assertTrue(failure.getMessage().contains("ended with 1\n"), failure.getMessage());
        assertTrue(failure.getMessage().contains("nowhere"), failure.getMessage());
    }

    @Test
    void aRuleThatWasNeverAppliedFailsTheStop() {
        UnderstudyService service =
                UnderstudyService.start(checkout().flags("--scenario", "rate-limit-once", "--fail-on-unused-rules"));

        StartException failure = assertThrows(StartException.class, service::close);

        assertTrue(failure.getMessage().contains("rate-limit-once"), failure.getMessage());
    }

    @Test
    void aCommandThatIsNotThere() {
        StartException failure = failureOf(new StartOptions().command("no-such-command"));

        assertTrue(failure.getMessage().contains("cannot run no-such-command"), failure.getMessage());
    }

    @Test
    void aPackageThatIsNotPublished() {
        String npx = "console.error('npm error code E404'); process.exit(1)";
        StartException failure = failureOf(new StartOptions().command("node", "-e", npx, "--"));

        assertTrue(failure.getMessage().contains("run `npm ci && npm pack` in a clone"), failure.getMessage());
    }

    @Test
    void aCommandThatIsNeverReady() {
        String wait = "process.stdin.resume()";
        StartException failure =
                failureOf(new StartOptions().command("node", "-e", wait, "--").timeout(Duration.ofMillis(100)));

        assertTrue(failure.getMessage().contains("was not ready after 100 ms"), failure.getMessage());
    }

    @Test
    void aJoinedServiceKeepsRunning() {
        try (UnderstudyService service = UnderstudyService.start(checkout())) {
            UnderstudyService.connect(service.httpUrl()).close();
            UnderstudyService.connect(service.url()).close();

            assertEquals("default", service.defaultEnvironment().name());
        }
    }

    @Test
    void aServiceWithAControlToken(@TempDir Path folder) throws Exception {
        Path program = folder.resolve("with-token.mjs");
        Path checkout = Path.of("../../dist/understudy.js").toRealPath();
        Files.writeString(program, "process.env.UNDERSTUDY_CONTROL_TOKEN = 'secret';\n"
                + "process.argv[1] = '" + checkout + "';\nawait import('" + checkout.toUri() + "');\n");
        ServiceProcess process = ServiceProcess.of(List.of(
                "node", program.toString(), "serve", "--memory", "--json", "--stop-with-stdin", "--port", "0"));
        try {
            String url = process.url(Duration.ofSeconds(60));
            assertThrows(ControlException.class, () -> UnderstudyService.connect(url));
            UnderstudyService joined = UnderstudyService.connect(url, "secret", Duration.ofSeconds(30));
            assertTrue(joined.environments().contains("default"));
        } finally {
            process.kill();
        }
    }

    @Test
    void aServiceListensOnThePortThatIsWanted() throws Exception {
        int port = freePort();

        try (UnderstudyService service = UnderstudyService.start(checkout().port(port))) {
            assertEquals("https://localhost:" + port, service.url());
        }
    }

    /** Below the range from which systems choose ports, so that nobody else gets it in the meantime. */
    private static int freePort() throws IOException {
        for (int tries = 0; tries < 100; tries++) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
            try (ServerSocket unused = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return unused.getLocalPort();
            } catch (BindException taken) {
                // Another one may be free.
            }
        }
        throw new IOException("no port is free");
    }

    @Test
    void theExecutableOfAReleaseIsDownloadedOnceAndChecked(@TempDir Path caches) throws Exception {
        Path program = Path.of("../../dist/understudy.js").toRealPath();
        byte[] script = ("#!/bin/sh\nexec node " + program + " \"$@\"\n").getBytes();
        AtomicInteger downloads = new AtomicInteger();
        AtomicReference<String> sum = new AtomicReference<>(Executable.digest(script));
        HttpServer release = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        release.createContext("/v1/", exchange -> {
            boolean isList = exchange.getRequestURI().getPath().endsWith("/SHA256SUMS");
            if (!isList) downloads.incrementAndGet();
            byte[] body = isList ? (sum.get() + "  " + Executable.nameOfRelease() + "\n").getBytes() : script;
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        release.start();
        try {
            String address = "http://127.0.0.1:" + release.getAddress().getPort() + "/v1/";
            for (int start = 0; start < 2; start++) {
                try (UnderstudyService service =
                        UnderstudyService.start(new StartOptions().download(address, caches))) {
                    assertEquals("default", service.defaultEnvironment().name());
                }
            }
            assertEquals(1, downloads.get());

            sum.set("0".repeat(64));
            StartException failure = failureOf(new StartOptions().download(address, caches));
            assertTrue(failure.getMessage().contains("but SHA256SUMS lists 0000"), failure.getMessage());
        } finally {
            release.stop(0);
        }
    }

    /** Stands in for Docker's command line. It runs the service of this checkout. */
    private static final String DOCKER = String.join(
            "\n",
            "#!/usr/bin/env node",
            "const { spawn } = require('node:child_process');",
            "const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');",
            "const words = process.argv.slice(2);",
            "appendFileSync(__dirname + '/calls', words.join(' ') + '\\n');",
            "if (words[0] === 'port') {",
            "  console.log(new URL(JSON.parse(readFileSync(__dirname + '/ready')).url).host);",
            "} else {",
            "  const given = words.slice(words.indexOf('the-image') + 1).map((word) => word.replace(/^.mounted.*/, __dirname));",
            "  const flags = [...given, '--port', '0'];",
            "  const stdio = ['inherit', 'pipe', 'inherit'];",
            "  const child = spawn(process.execPath, ['../../dist/understudy.js', ...flags], { stdio });",
            "  child.stdout.on('data', (line) => {",
            "    writeFileSync(__dirname + '/ready', line);",
            "    process.stdout.write(line);",
            "  });",
            "  child.on('exit', (code) => { process.exitCode = code; });",
            "}",
            "");

    @Test
    void anImageIsRunWithDockersCommandLine(@TempDir Path folder) throws Exception {
        Path docker = Files.writeString(folder.resolve("docker"), DOCKER);
        assertTrue(docker.toFile().setExecutable(true));
        StartOptions options = new StartOptions().image("the-image").seed(7).scenarioFolder(folder);

        ServiceProcess process = options.container(docker.toString());
        String url = process.url(Duration.ofSeconds(60));
        UnderstudyService.connect(url);
        process.stop();

        List<String> calls = Files.readAllLines(folder.resolve("calls"));
        assertTrue(calls.get(0).startsWith("run --rm --interactive --name understudy-"), calls.get(0));
        assertTrue(calls.get(0).contains("--publish 127.0.0.1::8080 --volume " + folder + ":/mounted/scenarios-0:ro"));
        assertTrue(calls.get(0).endsWith(" --scenarios /mounted/scenarios-0 --seed 7"), calls.get(0));
        assertTrue(calls.get(1).startsWith("port understudy-"), calls.get(1));
    }

    private static StartException failureOf(StartOptions options) {
        return assertThrows(StartException.class, () -> UnderstudyService.start(options));
    }
}
