package dev.understudy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Code that calls the service. */
final class Caller {
    static final String ACME = "org_10000000000000001";
    static final String NO_ORGANIZATION = "org_99999999999999999";
    static final String COMMAND = "node ../../dist/understudy.js";

    private final HttpClient http = HttpClient.newHttpClient();
    private final UnderstudyEnvironment environment;
    private final String token;

    Caller(UnderstudyEnvironment environment) {
        this.environment = environment;
        this.token = environment.accessToken();
    }

    HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(URI.create(environment.httpUrl() + path)));
    }

    HttpResponse<String> getOrganization(String id) {
        return get("/api/v1/organizations/" + id);
    }

    HttpResponse<String> post(String path, String body) {
        return send(HttpRequest.newBuilder(URI.create(environment.httpUrl() + path))
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    }

    static StartOptions checkout() {
        return new StartOptions().command(COMMAND.split(" "));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.header("authorization", "Bearer " + token).build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException error) {
            throw new AssertionError(error);
        }
    }
}
