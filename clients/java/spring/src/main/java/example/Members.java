package example;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

/** An application that shows the members of an organization. */
@SpringBootApplication
@RestController
public class Members {
    private static final String ORGANIZATION = "org_10000000000000001";

    private final RestClient scalekit;
    private final MultiValueMap<String, String> credentials = new LinkedMultiValueMap<>();

    public Members(
            RestClient.Builder clients,
            @Value("${scalekit.environment-url}") String url,
            @Value("${scalekit.client-id}") String id,
            @Value("${scalekit.client-secret}") String secret) {
        scalekit = clients.baseUrl(url).build();
        credentials.add("grant_type", "client_credentials");
        credentials.add("client_id", id);
        credentials.add("client_secret", secret);
    }

    public static void main(String[] arguments) {
        SpringApplication.run(Members.class, arguments);
    }

    @GetMapping("/members")
    public List<String> members() {
        JsonNode token = scalekit.post()
                .uri("/oauth/token")
                .contentType(MediaType.APPLICATION_FORM_URLENCODED)
                .body(credentials)
                .retrieve()
                .body(JsonNode.class);
        JsonNode found = scalekit.get()
                .uri("/api/v1/organizations/{id}/users", ORGANIZATION)
                .header("authorization", "Bearer " + token.path("access_token").asText())
                .retrieve()
                .body(JsonNode.class);
        List<String> addresses = new ArrayList<>();
        found.path("users").forEach(user -> addresses.add(user.path("email").asText()));
        return addresses;
    }

    @ExceptionHandler(HttpClientErrorException.TooManyRequests.class)
    @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
    public String busy() {
        return "try again later";
    }
}
