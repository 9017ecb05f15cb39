package dev.understudy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * The image of Understudy for Testcontainers, which a project depends on itself. It keeps its state in memory. Any
 * variable of {@code understudy serve} can be given by {@code withEnv}, such as {@code UNDERSTUDY_FIXTURE}.
 */
public final class UnderstudyContainer extends GenericContainer<UnderstudyContainer> {
    private static final int PORT = 8080;
    private static final int READABLE = 0755;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);
    private static final String TLS_HOST = "UNDERSTUDY_TLS_HOST";

    private final List<String> scenarioFolders = new ArrayList<>();
    private final List<String> fixtureFolders = new ArrayList<>();
    private String controlToken;

    /** An image that was built from a clone of Understudy's repository, such as {@code understudy}. */
    public UnderstudyContainer(String image) {
        this(DockerImageName.parse(image));
    }

    /** The same, by the class for names of images. */
    public UnderstudyContainer(DockerImageName image) {
        super(image);
        withExposedPorts(PORT);
        withEnv("UNDERSTUDY_MEMORY", "1");
        withEnv("UNDERSTUDY_LOG_LEVEL", "warn");
        waitingFor(Wait.forHttp("/_control/v1/health").forPort(PORT));
    }

    /** Copies a folder with scenarios of your own into the container; may be called again. */
    public UnderstudyContainer withScenarioFolder(Path folder) {
        return withFolder("UNDERSTUDY_SCENARIOS", "/mounted/scenarios-", scenarioFolders, folder);
    }

    /** Copies a folder with fixtures of your own into the container; may be called again. */
    public UnderstudyContainer withFixtureFolder(Path folder) {
        return withFolder("UNDERSTUDY_FIXTURES", "/mounted/fixtures-", fixtureFolders, folder);
    }

    /** The token that the control API requires. {@link #connect} sends it. */
    public UnderstudyContainer withControlToken(String token) {
        controlToken = token;
        return withEnv("UNDERSTUDY_CONTROL_TOKEN", token);
    }

    /** The port on the host of Docker; the official SDK needs 443. Without it, a free port. */
    public UnderstudyContainer withFixedPort(int port) {
        addFixedExposedPort(port, PORT);
        return this;
    }

    /** The address without TLS. */
    public String httpUrl() {
        return "http://" + getHost() + ":" + getMappedPort(PORT);
    }

    /** The address with TLS. */
    public String url() {
        return Addresses.withTls(httpUrl());
    }

    /** The service. From now on, this JVM trusts its certificate. Closing the service leaves the container running. */
    public UnderstudyService connect() {
        return UnderstudyService.connect(httpUrl(), controlToken, CONNECT_TIMEOUT);
    }

    /** The certificate gets the names under which tests and other containers call the service. */
    @Override
    protected void configure() {
        Stream<String> given = Stream.ofNullable(getEnvMap().get(TLS_HOST));
        Stream<String> own = Stream.concat(Stream.of(getHost()), getNetworkAliases().stream());
        withEnv(TLS_HOST, Stream.concat(given, own).distinct().collect(Collectors.joining(",")));
    }

    private UnderstudyContainer withFolder(String variable, String prefix, List<String> targets, Path folder) {
        String target = prefix + targets.size();
        targets.add(target);
        // The user of the container is not the owner of the folder.
        withCopyFileToContainer(MountableFile.forHostPath(folder, READABLE), target);
        return withEnv(variable, String.join(",", targets));
    }
}
