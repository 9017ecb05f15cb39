package dev.understudy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

@Understudy
class BundleTest {
    private static final String ORGANIZATION = "org_10000000000000001";

    @Test
    void aFailedTestLeavesABundle(UnderstudyService service) throws Exception {
        EngineTestKit.engine("junit-jupiter")
                .configurationParameter("understudy.url", service.httpUrl())
                .selectors(selectClass(Fails.class))
                .execute();

        Path place = Path.of("test-results", "dev.understudy.BundleTest-Fails.fails.understudy");
        assertTrue(Files.size(place) > 1000);
    }

    @Understudy
    static class Fails {
        @Test
        void fails(UnderstudyEnvironment environment) {
            fail();
        }
    }

    @Test
    void readsAndForksTakeAMoment(UnderstudyEnvironment environment) {
        State state = environment.state();
        String before = nameIn(state);
        state.patch("organizations", ORGANIZATION, Map.of("display_name", "Later"));

        assertEquals(before, nameIn(state.at("0")));
        assertEquals(state.counts(), state.at("0").counts());
        assertTrue(state.at("0").list("organizations", new RowFilter().contains("Later")).isEmpty());
        try (UnderstudyEnvironment fork = environment.forkAt("0")) {
            assertEquals(before, nameIn(fork.state()));
        }
        assertTrue(environment.bundle().length > 1000);
    }

    private static String nameIn(State state) {
        return state.get("organizations", ORGANIZATION).path("display_name").asText();
    }
}
