package dev.understudy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Writes the runs of failed tests to files. */
final class Bundles {
    private static final int NOT_FOUND = 404;
    /** Bundles of one run. Several processes may share the folder. */
    private static final int MOST = 50;
    private static final int LONGEST_FILE_NAME = 100;
    private static final Instant BEGIN = Instant.now();
    /** The files that this process has written, with the tests that they are for. */
    private static final Map<Path, String> WRITTEN = new ConcurrentHashMap<>();

    private Bundles() {}

    /** Writes the bundle. Returns a line that says how to open it, or nothing if none is wanted. */
    static Optional<String> lineOf(UnderstudyEnvironment environment, String test, String failure) {
        String said = StartOptions.variable("UNDERSTUDY_BUNDLES").orElse("test-results");
        Path folder = Path.of(said);
        try {
            if (said.equals("off") || countIn(folder) >= MOST) return Optional.empty();
            byte[] content = environment.bundle(test, failure);
            Path place = placeFor(folder, test);
            Files.createDirectories(folder);
            Files.write(place, content);
            return Optional.of("the run: npx understudy-server open " + place);
        } catch (ControlException refused) {
            // The test itself has dropped it.
            return refused.status() == NOT_FOUND ? Optional.empty() : Optional.of(noneBecause(refused));
        } catch (UnderstudyException | IOException | UncheckedIOException error) {
            return Optional.of(noneBecause(error));
        }
    }

    private static String noneBecause(Exception error) {
        return "no bundle of the run: " + error.getMessage();
    }

    /** The same for the same test in each run. */
    private static Path placeFor(Path folder, String test) {
        String words = test.replaceAll("[^\\p{L}\\p{N}.]+", "-").replaceAll("^[-.]+|[-.]+$", "");
        String name = words.substring(Math.max(0, words.length() - LONGEST_FILE_NAME)).replaceAll("^[-.]+", "");
        for (int count = 1; ; count++) {
            Path place = folder.resolve(name + (count == 1 ? "" : "-" + count) + ".understudy");
            String other = WRITTEN.putIfAbsent(place, test);
            if (other == null || other.equals(test)) return place;
        }
    }

    /** The bundles in the folder that were written since this process began. */
    private static long countIn(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) return 0;
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".understudy")).filter(Bundles::isNew).count();
        }
    }

    private static boolean isNew(Path file) {
        try {
            return !Files.getLastModifiedTime(file).toInstant().isBefore(BEGIN);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
