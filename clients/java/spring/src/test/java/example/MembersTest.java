package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.understudy.Understudy;
import dev.understudy.UnderstudyEnvironment;
import dev.understudy.UnderstudyExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.client.TestRestTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@Understudy(perClass = true)
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class MembersTest {
    @DynamicPropertySource
    static void scalekit(DynamicPropertyRegistry properties) {
        UnderstudyEnvironment env = UnderstudyExtension.environmentOf(MembersTest.class);
        properties.add("scalekit.environment-url", env::url);
        properties.add("scalekit.client-id", env::clientId);
        properties.add("scalekit.client-secret", env::clientSecret);
    }

    @Autowired
    private TestRestTemplate browser;

    @BeforeEach
    void reset(UnderstudyEnvironment env) {
        env.reset();
    }

    @Test
    void membersAreListed() {
        assertTrue(browser.getForObject("/members", String.class).contains("ada@acme.example"));
    }

    @Test
    void aRateLimitIsReported(UnderstudyEnvironment env) {
        env.scenario("rate-limit-once");

        assertEquals(503, browser.getForEntity("/members", String.class).getStatusCode().value());
    }
}
