package dev.understudy;

import java.net.URI;
import java.util.List;
import java.util.Set;

/** The addresses of a service: its port speaks TLS and plain HTTP. */
final class Addresses {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final int HTTP_PORT = 80;
    private static final int TLS_PORT = 443;

    private Addresses() {}

    static boolean isLocal(String url) {
        String host = String.valueOf(URI.create(url).getHost());
        return LOOPBACK.contains(host) || host.endsWith(".localhost");
    }

    /** The ways to a service. Plain HTTP comes first, because nothing trusts the certificate yet. */
    static List<String> waysTo(String url) {
        String plain = url.replaceFirst("/+$", "");
        URI uri = URI.create(plain);
        if (!"https".equals(uri.getScheme())) return List.of(plain);
        int port = uri.getPort() < 0 ? TLS_PORT : uri.getPort();
        return List.of("http://" + uri.getHost() + ":" + port + uri.getRawPath(), plain);
    }

    /** The same host and port with TLS. The certificate has the name localhost. The SDK needs 443 to be left out. */
    static String withTls(String url) {
        URI uri = URI.create(url);
        if ("https".equals(uri.getScheme())) return url;
        String host = LOOPBACK.contains(uri.getHost()) ? "localhost" : uri.getHost();
        int port = uri.getPort() < 0 ? HTTP_PORT : uri.getPort();
        return "https://" + host + (port == TLS_PORT ? "" : ":" + port) + uri.getRawPath();
    }

    static String forBrowser(String url, String environment) {
        URI uri = URI.create(url);
        String host = environment.equals("default") ? "localhost" : environment + ".localhost";
        return uri.getScheme() + "://" + host + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
    }
}
