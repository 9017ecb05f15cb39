package dev.understudy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Sends calls to the control API, for the whole service or for one environment. */
final class Transport {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    // A service that starts on a busy machine may take long for its first answer.
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final int FIRST_ERROR = 400;

    private final HttpClient http;
    private final String url;
    private final String prefix;
    private final String token;

    private Transport(HttpClient http, String url, String prefix, String token) {
        this.http = http;
        this.url = url;
        this.prefix = prefix;
        this.token = token;
    }

    static Transport to(String url, String token) {
        HttpClient.Builder http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_TIMEOUT);
        // A proxy does not reach a service on this machine.
        if (Addresses.isLocal(url)) http.proxy(HttpClient.Builder.NO_PROXY);
        else http.proxy(ProxySelector.getDefault());
        return new Transport(http.build(), url, "", token);
    }

    Transport of(String environment) {
        return new Transport(http, url, "/environments" + Query.path(environment), token);
    }

    JsonNode get(String path, Query query) {
        return get(path, query, Duration.ZERO);
    }

    /** For a call that may wait for {@code wait}. */
    JsonNode get(String path, Query query, Duration wait) {
        return json(call("GET", path + query.text(), BodyPublishers.noBody(), null, wait));
    }

    String text(String path) {
        return call("GET", path, BodyPublishers.noBody(), null, Duration.ZERO);
    }

    JsonNode post(String path) {
        return json(call("POST", path, BodyPublishers.noBody(), null, Duration.ZERO));
    }

    JsonNode post(String path, JsonNode body) {
        return send("POST", path, body);
    }

    JsonNode postYaml(String path, String text) {
        return json(call("POST", path, BodyPublishers.ofString(text), "application/yaml", Duration.ZERO));
    }

    JsonNode send(String method, String path, JsonNode body) {
        BodyPublisher publisher = BodyPublishers.ofString(body.toString());
        return json(call(method, path, publisher, "application/json", Duration.ZERO));
    }

    /** The bytes of an answer that is no text. */
    byte[] bytes(String method, String path, BodyPublisher body) {
        return send(method, path, body, "application/json", Duration.ZERO, BodyHandlers.ofByteArray());
    }

    void delete(String path) {
        call("DELETE", path, BodyPublishers.noBody(), null, Duration.ZERO);
    }

    private String call(String method, String path, BodyPublisher body, String type, Duration wait) {
        return send(method, path, body, type, wait, BodyHandlers.ofString());
    }

    private <T> T send(
            String method, String path, BodyPublisher body, String type, Duration wait, BodyHandler<T> handler) {
        URI uri = URI.create(url + "/_control/v1" + prefix + path);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri).method(method, body).timeout(TIMEOUT.plus(wait));
        if (type != null) request.header("content-type", type);
        if (token != null) request.header("authorization", "Bearer " + token);
        HttpResponse<T> response = exchange(request.build(), handler);
        if (response.statusCode() < FIRST_ERROR) return response.body();
        Object refused = response.body();
        String text = refused instanceof byte[] ? new String((byte[]) refused, UTF_8) : refused.toString();
        throw Refusal.of(method + " " + uri, response.statusCode(), text);
    }

    /** Sends any request to the service. */
    HttpResponse<String> exchange(HttpRequest request) {
        return exchange(request, BodyHandlers.ofString());
    }

    private <T> HttpResponse<T> exchange(HttpRequest request, BodyHandler<T> handler) {
        String call = request.method() + " " + request.uri();
        try {
            return http.send(request, handler);
        } catch (IOException error) {
            throw new NotReachableException(call + ": " + reason(error), error);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new NotReachableException(call + ": the thread was interrupted", interrupted);
        }
    }

    private static String reason(IOException error) {
        return error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    }

    private static JsonNode json(String text) {
        return text.isEmpty() ? Json.MAPPER.missingNode() : Json.parse(text);
    }
}
