package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A running service. */
public final class UnderstudyService implements AutoCloseable {
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(2);
    private static final long PAUSE = 100;
    private static final int ENVIRONMENTS_IN_A_PAGE = 1000;
    private static final Runnable NOTHING = () -> {};

    private final Transport transport;
    private final String httpUrl;
    private final AtomicReference<Runnable> stop;
    private final SSLContext context;

    private UnderstudyService(Transport transport, String httpUrl, Runnable stop) {
        this.transport = transport;
        this.httpUrl = httpUrl;
        this.stop = new AtomicReference<>(stop);
        this.context = Trust.add(transport.text("/ca.pem"));
    }

    /** Starts a service in memory: the executable if there is one, else the npm package by {@code npx}, else the image in Docker. */
    public static UnderstudyService start() {
        return start(new StartOptions());
    }

    /** Starts a service in memory with these options. */
    public static UnderstudyService start(StartOptions options) {
        ServiceProcess process = options.run();
        try {
            return join(process.url(options.timeout()), null, options.timeout(), process::stop);
        } catch (RuntimeException | Error failure) {
            process.kill();
            throw failure;
        }
    }

    /** Joins a service that runs. The variable UNDERSTUDY_CONTROL_TOKEN has its control token, if it needs one. */
    public static UnderstudyService connect(String url) {
        return connect(url, null, JOIN_TIMEOUT);
    }

    /** Waits up to {@code timeout} until the service is ready. */
    public static UnderstudyService connect(String url, @Nullable String controlToken, Duration timeout) {
        return join(url, controlToken, timeout, NOTHING);
    }

    private static UnderstudyService join(String url, @Nullable String controlToken, Duration timeout, Runnable stop) {
        String token = controlToken == null ? System.getenv("UNDERSTUDY_CONTROL_TOKEN") : controlToken;
        Instant end = Instant.now().plus(timeout);
        while (true) {
            for (String way : Addresses.waysTo(url)) {
                Transport transport = Transport.to(way, token);
                try {
                    transport.get("/health", Query.none());
                    return new UnderstudyService(transport, way, stop);
                } catch (NotReachableException error) {
                    if (Instant.now().isAfter(end)) throw unreachable(url, error);
                }
            }
            pause();
        }
    }

    private static NotReachableException unreachable(String url, NotReachableException error) {
        String remedy = "start Understudy there, or correct the address, which may come from UNDERSTUDY_URL";
        return new NotReachableException(
                "nothing answers at " + url + ": " + remedy + " (" + error.getMessage() + ")", error);
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new StartException("the thread was interrupted", interrupted);
        }
    }

    /** The address without TLS. */
    public String httpUrl() {
        return httpUrl;
    }

    /** The address with TLS. */
    public String url() {
        return Addresses.withTls(httpUrl);
    }

    /** Trusts the service's certificate, and those that this JVM trusts anyway. */
    public SSLContext sslContext() {
        return context;
    }

    /** The environment of calls that name none. */
    public UnderstudyEnvironment defaultEnvironment() {
        return new UnderstudyEnvironment(transport, httpUrl, transport.get("/environments/default", Query.none()));
    }

    /** Creates an isolated environment. Close it at the end. */
    public UnderstudyEnvironment environment() {
        return environment(new EnvironmentOptions());
    }

    /** Creates an isolated environment with these options. Close it at the end. */
    public UnderstudyEnvironment environment(EnvironmentOptions options) {
        return new UnderstudyEnvironment(transport, httpUrl, transport.post("/environments", options.body()));
    }

    /** The names of all environments. Those at rest come last and stay at rest. */
    public List<String> environments() {
        List<String> names = new ArrayList<>();
        @Nullable String since = null;
        do {
            JsonNode page = transport.get(
                    "/environments", Query.of("limit", ENVIRONMENTS_IN_A_PAGE).with("since", since));
            names.addAll(Json.list(page.path("environments"), each -> each.path("name").asText()));
            since = page.path("next").asText(null);
        } while (since != null);
        return names;
    }

    /** The version of Understudy. */
    public String version() {
        return transport.get("/health", Query.none()).path("version").asText();
    }

    /**
     * Stops a service that was started here. A service that was joined keeps running. Throws a
     * {@link StartException} if it ends with an error.
     */
    @Override
    public void close() {
        stop.getAndSet(NOTHING).run();
    }
}
