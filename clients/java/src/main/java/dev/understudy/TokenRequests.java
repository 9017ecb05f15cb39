package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Gets tokens as a program of the environment does. */
final class TokenRequests {
    private static final int OK = 200;
    /** Nothing listens there: only the redirect to this address is read. */
    private static final String CALLBACK = "http://localhost/callback";

    private static final Pattern CODE = Pattern.compile(Pattern.quote(CALLBACK) + "\\?(?:.*&)?code=([^&]*).*");

    private final String url;
    private final String clientId;
    private final String clientSecret;
    private final Transport transport;

    TokenRequests(String url, String clientId, String clientSecret) {
        this.url = url;
        this.clientId = clientId;
        this.clientSecret = clientSecret;
        this.transport = Transport.to(url, null);
    }

    String clientToken() {
        return exchange(Query.of("grant_type", "client_credentials"))
                .path("access_token")
                .asText();
    }

    Tokens userTokens(String email) {
        Query grant = Query.of("grant_type", "authorization_code").with("redirect_uri", CALLBACK);
        return new Tokens(exchange(grant.with("code", code(email))));
    }

    private String code(String email) {
        Query wanted = Query.of("response_type", "code")
                .with("client_id", clientId)
                .with("redirect_uri", CALLBACK)
                .with("scope", "openid profile email offline_access")
                .with("login_hint", email)
                .with("understudy_auto", "1");
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/oauth/authorize" + wanted.text()))
                .build();
        HttpResponse<String> response = transport.exchange(request);
        String answer = response.headers().firstValue("location").orElse(response.statusCode() + " " + response.body());
        Matcher code = CODE.matcher(answer);
        if (!code.matches()) throw new UnderstudyException(email + " was not signed in: " + answer);
        return code.group(1);
    }

    private JsonNode exchange(Query grant) {
        String form = grant.with("client_id", clientId)
                .with("client_secret", clientSecret)
                .text()
                .substring(1);
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/oauth/token"))
                .header("content-type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form))
                .build();
        HttpResponse<String> response = transport.exchange(request);
        if (response.statusCode() != OK)
            throw new UnderstudyException("no token for " + clientId + ": " + response.body());
        return Json.parse(response.body());
    }
}
