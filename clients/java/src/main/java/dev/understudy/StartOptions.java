package dev.understudy;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How a service is started. */
public final class StartOptions {
    private static final String IMAGE = "understudy";
    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(120);
    // The service ends when its stdin closes, and so with this JVM, however that ends.
    private static final List<String> SERVE =
            List.of("serve", "--memory", "--json", "--stop-with-stdin", "--log-level", "warn");

    private final List<String> flags = new ArrayList<>();
    private final List<Path> scenarioFolders = new ArrayList<>();
    private final List<Path> fixtureFolders = new ArrayList<>();
    private List<String> command = List.of();
    private String image;
    private String download;
    private Path caches;
    private int port;
    private boolean isReportWanted;
    private Duration timeout = USUAL_TIMEOUT;

    /** The command that starts Understudy, such as {@code node_modules/.bin/understudy}. */
    public StartOptions command(String... words) {
        command = List.of(words);
        return this;
    }

    /** Starts this image in Docker. */
    public StartOptions image(String name) {
        image = name;
        return this;
    }

    /**
     * Downloads Understudy's executable once from this address: a folder with the files of a release, such as SHA256SUMS,
     * which it has to match. The variable UNDERSTUDY_DOWNLOAD does the same.
     */
    public StartOptions download(String address) {
        return download(address, Executable.caches());
    }

    StartOptions download(String address, Path folder) {
        download = address;
        caches = folder;
        return this;
    }

    /** The port; the official SDK for Java needs 443. Without it, a free port. */
    public StartOptions port(int number) {
        port = number;
        return this;
    }

    /** The rows that environments start with: the name of a fixture. */
    public StartOptions fixture(String name) {
        return flags("--fixture", name);
    }

    /** The number that ids, secrets and random values come from. */
    public StartOptions seed(int seed) {
        return flags("--seed", String.valueOf(seed));
    }

    /** A folder with scenarios of your own; may be called again. */
    public StartOptions scenarioFolder(Path folder) {
        scenarioFolders.add(folder);
        return this;
    }

    /** A folder with fixtures of your own; may be called again. */
    public StartOptions fixtureFolder(Path folder) {
        fixtureFolders.add(folder);
        return this;
    }

    /**
     * Writes a report when the service stops: a file whose name ends in .html, .xml, .json or .md, a folder with a slash at
     * the end, or {@code github}; several with commas between.
     */
    public StartOptions report(String files) {
        isReportWanted = true;
        return flags("--report", files);
    }

    /** More flags of {@code understudy serve}. */
    public StartOptions flags(String... words) {
        flags.addAll(List.of(words));
        return this;
    }

    /** How long to wait until the service is ready. Without it, two minutes. */
    public StartOptions timeout(Duration longest) {
        timeout = longest;
        return this;
    }

    Duration timeout() {
        return timeout;
    }

    ServiceProcess run() {
        List<String> program = program();
        return program.isEmpty() ? container(docker()) : process(program);
    }

    /** Empty: use Docker. */
    private List<String> program() {
        if (!command.isEmpty()) return command;
        if (image != null) return List.of();
        Optional<String> executable = executable();
        if (executable.isPresent()) return List.of(executable.get());
        Optional<String> npx = onPath("npx");
        if (npx.isEmpty()) return List.of();
        return List.of(npx.get(), "--yes", "understudy-server");
    }

    private Optional<String> executable() {
        Optional<String> file = variable("UNDERSTUDY_BIN");
        if (file.isPresent()) return file;
        if (download != null) return Optional.of(Executable.download(download, caches).toString());
        Optional<String> address = variable("UNDERSTUDY_DOWNLOAD");
        return address.isPresent()
                ? address.map(from -> Executable.download(from, Executable.caches()).toString())
                : onPath("understudy");
    }

    static Optional<String> variable(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isEmpty());
    }

    private ServiceProcess process(List<String> program) {
        List<String> words = new ArrayList<>(program);
        words.addAll(SERVE);
        words.addAll(List.of("--port", String.valueOf(port)));
        scenarioFolders.forEach(folder -> words.addAll(List.of("--scenarios", folder.toString())));
        fixtureFolders.forEach(folder -> words.addAll(List.of("--fixtures", folder.toString())));
        words.addAll(flags);
        return ServiceProcess.of(words);
    }

    private static String docker() {
        return onPath("docker")
                .orElseThrow(() -> new StartException("Understudy cannot be started, because neither understudy, npx nor docker "
                        + "is on the PATH. Name Understudy's executable (UNDERSTUDY_BIN) or the release that has it "
                        + "(UNDERSTUDY_DOWNLOAD), install Node 20.19 or later, name the command that starts it "
                        + "(understudy.command), or set UNDERSTUDY_URL to the address of a service"));
    }

    ServiceProcess container(String docker) {
        if (isReportWanted)
            throw new StartException("a container cannot write a report here: start Understudy with its executable "
                    + "(UNDERSTUDY_BIN) or a command");
        List<String> options = new ArrayList<>();
        List<String> words = new ArrayList<>(SERVE);
        mount("--scenarios", scenarioFolders, options, words);
        mount("--fixtures", fixtureFolders, options, words);
        words.addAll(flags);
        return ServiceProcess.ofImage(docker, image == null ? IMAGE : image, port, options, words);
    }

    private static void mount(String flag, List<Path> folders, List<String> options, List<String> words) {
        for (int index = 0; index < folders.size(); index++) {
            String inside = "/mounted/" + flag.substring(2) + "-" + index;
            options.addAll(List.of("--volume", folders.get(index).toAbsolutePath() + ":" + inside + ":ro"));
            words.addAll(List.of(flag, inside));
        }
    }

    private static Optional<String> onPath(String name) {
        boolean isWindows = System.getProperty("os.name").startsWith("Windows");
        List<String> endings = isWindows ? List.of(".cmd", ".exe") : List.of("");
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            for (String ending : endings) {
                File program = new File(folder, name + ending);
                if (program.isFile() && program.canExecute()) return Optional.of(program.toString());
            }
        return Optional.empty();
    }
}
