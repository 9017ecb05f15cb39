package dev.understudy;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** Understudy as a child process. It prints one line of JSON with its address, and ends when its stdin closes. */
final class ServiceProcess {
    private static final long SECONDS_TO_END = 30;
    private static final int PORT_IN_IMAGE = 8080;
    // UNDERSTUDY_ variables of the shell are meant for other services.
    private static final Pattern FOREIGN = Pattern.compile("UNDERSTUDY_.*|PORT|NODE_OPTIONS");

    /** What npx says where the package is neither installed nor published. */
    private static final String NOT_PUBLISHED = "E404";

    private final List<String> command;
    private final Process child;
    private final Path errors;
    private final CompletableFuture<String> ready = new CompletableFuture<>();
    private final List<String> addressCommand;

    private ServiceProcess(List<String> command, List<String> addressCommand) {
        this.command = command;
        this.addressCommand = addressCommand;
        try {
            errors = Files.createTempFile("understudy-", ".log");
            errors.toFile().deleteOnExit();
            child = start(command, errors.toFile());
        } catch (IOException error) {
            throw new StartException("cannot run " + command.get(0) + ": " + error.getMessage(), error);
        }
        Thread reader = new Thread(this::read, "understudy-output");
        reader.setDaemon(true);
        reader.start();
    }

    static ServiceProcess of(List<String> command) {
        return new ServiceProcess(command, List.of());
    }

    /** The image of Understudy, run by Docker's command line. Port 0: Docker chooses one. */
    static ServiceProcess ofImage(
            String docker, String image, int port, List<String> options, List<String> words) {
        String name = "understudy-" + UUID.randomUUID();
        String published = "127.0.0.1:" + (port == 0 ? "" : port) + ":" + PORT_IN_IMAGE;
        List<String> command = new ArrayList<>(
                List.of(docker, "run", "--rm", "--interactive", "--name", name, "--publish", published));
        command.addAll(options);
        command.add(image);
        command.addAll(words);
        return new ServiceProcess(command, List.of(docker, "port", name, PORT_IN_IMAGE + "/tcp"));
    }

    /** The address in the line of JSON. Package managers may print other lines before. */
    String url(Duration timeout) {
        try {
            String url = ready.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            return addressCommand.isEmpty() ? url : "http://" + output(addressCommand);
        } catch (TimeoutException late) {
            throw new StartException(message("was not ready after " + timeout.toMillis() + " ms"), late);
        } catch (ExecutionException ended) {
            throw new StartException(message("ended with " + exitValue()), ended);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new StartException("the thread was interrupted", interrupted);
        }
    }

    /** Throws a StartException if the program ends with an error, as with {@code --fail-on-unused-rules}. */
    void stop() {
        closeStdin();
        int code = exitValue();
        String message = message("ended with " + code);
        deleteErrors();
        if (code != 0) throw new StartException(message);
    }

    void kill() {
        closeStdin();
        child.destroyForcibly();
        exitValue();
        deleteErrors();
    }

    private static Process start(List<String> command, File errors) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors);
        builder.environment().keySet().removeIf(FOREIGN.asMatchPredicate());
        return builder.start();
    }

    private void read() {
        try (BufferedReader output = new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine())
                if (line.startsWith("{")) ready.complete(Json.parse(line).path("url").asText());
        } catch (IOException ended) {
            ready.completeExceptionally(ended);
        }
        ready.completeExceptionally(new IOException("the output ended"));
    }

    private void closeStdin() {
        try {
            child.getOutputStream().close();
        } catch (IOException alreadyEnded) {
            // The program has ended before.
        }
    }

    private int exitValue() {
        try {
            if (!child.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) child.destroyForcibly();
            return child.waitFor();
        } catch (InterruptedException interrupted) {
            child.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new StartException("the thread was interrupted", interrupted);
        }
    }

    private static String output(List<String> command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() == 0) return said.lines().findFirst().orElse("");
            throw new StartException("`" + String.join(" ", command) + "` failed: " + said);
        } catch (IOException error) {
            throw new StartException("cannot run " + command.get(0), error);
        }
    }

    private String message(String outcome) {
        try {
            String said = Files.readString(errors).strip();
            String hint = said.contains(NOT_PUBLISHED)
                    ? "\nnpm has no package understudy-server yet: run `npm ci && npm pack` in a clone of Understudy's repository, and "
                            + "here `npm install --save-dev` with the file that it made"
                    : "";
            return ("`" + String.join(" ", command) + "` " + outcome + "\n" + said + hint).strip();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private void deleteErrors() {
        errors.toFile().delete();
    }
}
