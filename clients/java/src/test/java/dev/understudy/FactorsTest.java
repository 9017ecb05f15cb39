package dev.understudy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Passkeys, authenticator apps and signing keys. */
@Understudy
class FactorsTest {
    private static final String EMAIL = "ada@acme.example";
    private static final String ADA = "usr_10000000000000101";
    private static final String BEGIN = "/api/v1/webauthn/authentication:begin";
    private static final String FINISH = "/api/v1/webauthn/authentication:finish";

    @Test
    void aPasskeySignsIn(UnderstudyEnvironment environment) throws Exception {
        PasskeyOptions options = new PasskeyOptions().algorithm("EdDSA").displayName("Phone").rpId("localhost");
        Passkey made = environment.passkeys().create(EMAIL, options);
        assertEquals(ADA, made.userId());
        assertEquals("localhost", made.rpId());
        assertEquals(made.credentialId(), made.playwright().path("id").asText());
        assertEquals(EMAIL, made.cdp().path("userName").asText());

        PasskeyAnswer answer = environment.passkeys().sign(challenge(environment));

        assertEquals("WebAuthnService_FinishAuthentication", answer.operation());
        assertEquals(200, send(environment, FINISH, answer.body()).statusCode());
        assertEquals(made.id(), environment.passkeys().list().get(1).id());
    }

    @Test
    void theOptionsOfAPasskeyMakeASignInFail(UnderstudyEnvironment environment) throws Exception {
        Passkey known = environment.passkeys().list().get(0);
        SignOptions options = new SignOptions()
                .credentialId(known.credentialId())
                .origin("https://evil.example")
                .userVerified(false)
                .signCount(7);

        PasskeyAnswer answer = environment.passkeys().sign(challenge(environment), options);

        assertEquals(400, send(environment, FINISH, answer.body()).statusCode());
        assertEquals(7, environment.passkeys().list().get(0).signCount());
    }

    @Test
    void aUserSignsInWithoutABrowser(UnderstudyEnvironment environment) throws Exception {
        Tokens tokens = environment.signIn(EMAIL);

        HttpRequest call = HttpRequest.newBuilder(URI.create(environment.url() + "/userinfo"))
                .header("authorization", "Bearer " + tokens.accessToken())
                .build();
        String user = HttpClient.newHttpClient().send(call, BodyHandlers.ofString()).body();
        assertTrue(user.contains(EMAIL), user);
        assertFalse(tokens.idToken().isEmpty());
        assertFalse(tokens.refreshToken().isEmpty());
    }

    @Test
    void aRefusedSignInIsAnError(UnderstudyEnvironment environment) {
        environment.scenario("sign-in-denied", Map.of("error", "user_not_active"));

        UnderstudyException error = assertThrows(UnderstudyException.class, () -> environment.signIn(EMAIL));
        assertTrue(error.getMessage().startsWith(EMAIL + " was not signed in: "), error.getMessage());
        assertTrue(error.getMessage().contains("error=user_not_active"), error.getMessage());
    }

    @Test
    void aCodeOfAnAuthenticatorAppIsAcceptedOnce(UnderstudyEnvironment environment) throws Exception {
        Totp app = environment.totp(EMAIL);
        TotpAuthenticator enrolled = app.enrol();
        assertEquals("ENABLED", enrolled.status());
        assertEquals(10, enrolled.backupCodes().size());
        environment.clock().freeze(Instant.parse("2040-01-01T00:00:00Z"));
        String code = app.code();

        assertTrue(isValid(environment, code));
        assertFalse(isValid(environment, code));
        assertFalse(isValid(environment, app.code(Duration.ofHours(-1))));
        assertTrue(isValid(environment, app.code()));
        assertEquals(enrolled.secret(), app.get().secret());
    }

    @Test
    void aRotationRetiresTheFormerKey(UnderstudyEnvironment environment) throws Exception {
        String old = environment.accessToken();

        String kid = environment.rotateKeys(Duration.ofHours(1));

        assertTrue(kid.startsWith("snk_"));
        assertEquals(200, statusOf(environment, old));
        environment.rotateKeys(Duration.ZERO);
        assertEquals(401, statusOf(environment, old));
        assertEquals(200, statusOf(environment, environment.accessToken()));
    }

    private static int statusOf(UnderstudyEnvironment environment, String token) throws Exception {
        URI address = URI.create(environment.httpUrl() + "/api/v1/organizations");
        HttpRequest request = HttpRequest.newBuilder(address)
                .header("authorization", "Bearer " + token)
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.discarding())
                .statusCode();
    }

    private static String challenge(UnderstudyEnvironment environment) throws Exception {
        HttpResponse<String> begun = send(environment, BEGIN, Json.object(Map.of("email", EMAIL)));
        return Json.parse(begun.body()).path("options").path("challenge").asText();
    }

    private static boolean isValid(UnderstudyEnvironment environment, String code) throws Exception {
        String path = "/api/v1/user/" + ADA + "/totp:verify";
        return Json.parse(send(environment, path, Json.object(Map.of("code", code))).body())
                .path("valid")
                .asBoolean();
    }

    private static HttpResponse<String> send(UnderstudyEnvironment environment, String path, JsonNode body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(environment.httpUrl() + path))
                .header("content-type", "application/json")
                .header("authorization", "Bearer " + environment.accessToken())
                .POST(BodyPublishers.ofString(body.toString()))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }
}
