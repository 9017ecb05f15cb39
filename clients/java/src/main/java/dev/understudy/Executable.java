package dev.understudy;

import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Locale;

/** The single executable of a release. */
final class Executable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration DOWNLOAD_TIMEOUT = Duration.ofMinutes(5);

    private Executable() {}

    /**
     * Downloads the executable for this machine from a folder with the files of a release, unless an earlier start has kept
     * it in {@code caches}. SHA256SUMS of the release says what it has to be.
     */
    static Path download(String address, Path caches) {
        String folder = address.replaceFirst("/+$", "");
        String name = nameOfRelease();
        try {
            HttpClient http = HttpClient.newBuilder()
                    .connectTimeout(CONNECT_TIMEOUT)
                    .followRedirects(HttpClient.Redirect.NORMAL)
                    .build();
            String sum = sumOf(new String(get(http, folder + "/SHA256SUMS")), name);
            if (sum == null)
                throw new StartException(folder + "/SHA256SUMS does not list " + name + ", the executable for this machine");
            Path file = caches.resolve(Path.of("understudy", "bin", sum, name));
            if (Files.exists(file) && digest(Files.readAllBytes(file)).equals(sum)) return file;
            byte[] content = get(http, folder + "/" + name);
            String found = digest(content);
            if (!found.equals(sum))
                throw new StartException(folder + "/" + name + " has the checksum " + found + ", but SHA256SUMS lists " + sum);
            return keep(file, content);
        } catch (IOException | IllegalArgumentException failure) {
            throw new StartException("Understudy cannot be downloaded from " + folder + ": " + failure);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new StartException("the download of Understudy was interrupted");
        }
    }

    /** The folder of this user's caches. */
    static Path caches() {
        Path home = Path.of(System.getProperty("user.home"));
        if (isWindows()) return home.resolve(Path.of("AppData", "Local"));
        if (System.getProperty("os.name").startsWith("Mac")) return home.resolve(Path.of("Library", "Caches"));
        String own = System.getenv("XDG_CACHE_HOME");
        return own != null && own.startsWith("/") ? Path.of(own) : home.resolve(".cache");
    }

    /** Such as understudy-linux-x64-musl: releases use Node's names of platforms. */
    static String nameOfRelease() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String architecture = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        if (isWindows()) return "understudy-win32-" + architecture + ".exe";
        if (system.startsWith("mac")) return "understudy-darwin-" + architecture;
        return "understudy-linux-" + architecture + (hasMusl() ? "-musl" : "");
    }

    private static boolean isWindows() {
        return System.getProperty("os.name").startsWith("Windows");
    }

    private static boolean hasMusl() {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(Path.of("/lib"), "ld-musl-*")) {
            return found.iterator().hasNext();
        } catch (IOException missing) {
            return false;
        }
    }

    private static byte[] get(HttpClient http, String address) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address)).timeout(DOWNLOAD_TIMEOUT).build();
        HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200) throw new StartException(address + " was answered " + answer.statusCode());
        return answer.body();
    }

    private static String sumOf(String sums, String name) {
        return sums.lines()
                .map(line -> line.split("\\s+\\*?"))
                .filter(words -> words.length == 2 && words[1].equals(name))
                .map(words -> words[0])
                .findFirst()
                .orElse(null);
    }

    static String digest(byte[] content) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(content);
            return String.format("%064x", new BigInteger(1, sum));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Another process sees the whole file or none. */
    private static Path keep(Path file, byte[] content) throws IOException {
        Files.createDirectories(file.getParent());
        Path draft = Files.createTempFile(file.getParent(), "draft-", "");
        try {
            Files.write(draft, content);
            draft.toFile().setExecutable(true);
            return Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
    }
}
