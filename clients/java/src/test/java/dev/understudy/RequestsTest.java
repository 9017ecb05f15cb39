package dev.understudy;

import static dev.understudy.Caller.ACME;
import static dev.understudy.Caller.NO_ORGANIZATION;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@Understudy
class RequestsTest {
    private static final String GET = "OrganizationService_GetOrganization";
    private static final String CREATE = "OrganizationService_CreateOrganization";

    private Caller caller;
    private Requests requests;

    @BeforeEach
    void prepare(UnderstudyEnvironment environment) {
        caller = new Caller(environment);
        requests = environment.requests();
    }

    @Test
    void callsCanBeListedFoundAndCleared() {
        caller.getOrganization(ACME);
        caller.getOrganization(NO_ORGANIZATION);

        List<Integer> statuses = requests.list(RequestFilter.ofOperation(GET)).stream()
                .map(JournalEntry::status)
                .collect(Collectors.toList());
        assertEquals(List.of(200, 404), statuses);
        JournalEntry missed = requests.find(new RequestFilter().status("4xx")).orElseThrow();
        assertEquals("/api/v1/organizations/" + NO_ORGANIZATION, missed.path());
        ObjectNode read = requests.get(missed.id()).json().deepCopy();
        assertEquals("unknown", read.remove("why").path("kind").asText());
        assertEquals(missed.json(), read);
        RequestFilter named = new RequestFilter().contains(ACME + " http").protocol("http/*").caller("*");
        assertTrue(requests.find(named.status(200)).isPresent());
        assertThrows(IllegalArgumentException.class, () -> requests.verify(named));
        assertTrue(requests.list(new RequestFilter().caller("usr_*")).isEmpty());
        requests.clear();
        assertTrue(requests.find(RequestFilter.ofOperation(GET)).isEmpty());
    }

    @Test
    void awaitReturnsCallsThatCame() {
        caller.getOrganization(ACME);
        caller.getOrganization(ACME);

        assertEquals(2, requests.await(RequestFilter.ofOperation(GET), 2).size());
        assertEquals(200, requests.await(RequestFilter.ofOperation(GET)).status());
    }

    @Test
    void awaitSaysWhatCameInstead() {
        caller.getOrganization(ACME);

        RequestFilter filter = RequestFilter.ofOperation("UserService_*").timeout(Duration.ofMillis(1));
        WaitException failure = assertThrows(WaitException.class, () -> requests.await(filter));
        assertTrue(failure.getMessage().contains("GET /api/v1/organizations/" + ACME + " 200"), failure.getMessage());
    }

    @Test
    void verifyCountsCalls() {
        caller.post("/api/v1/organizations", "{\"display_name\":\"Globex\"}");

        RequestFilter globex = RequestFilter.ofOperation(CREATE).body(Map.of("display_name", "Globex"));
        assertEquals(1, requests.verify(globex));
        requests.verify(globex, Count.times(1));
        assertEquals(1, requests.verify(globex, Count.between(0, 2)));
        assertEquals(1, requests.verify(globex, Count.atLeast(1)));
        assertThrows(VerificationException.class, () -> requests.verify(globex, Count.atLeast(2)));
        assertEquals(1, requests.verify(globex, Count.atMost(1)));
        requests.verify(RequestFilter.ofOperation("UserService_*"), Count.never());
        RequestFilter hooli = RequestFilter.ofOperation(CREATE).body(Map.of("display_name", "Hooli"));
        VerificationException missing = assertThrows(VerificationException.class, () -> requests.verify(hooli));
        assertEquals(0, missing.count());
        assertTrue(
                missing.getMessage().contains("body.display_name  expected \"Hooli\""), missing.getMessage());
        VerificationException tooMany = assertThrows(VerificationException.class, () -> requests.verify(globex, Count.never()));
        assertTrue(tooMany.getMessage().contains("those that match: req_"), tooMany.getMessage());
    }

    @Test
    void aFilterOfTheBodyIsForVerifyOnly() {
        RequestFilter filter = new RequestFilter().body(Map.of("display_name", "Globex"));

        assertThrows(IllegalArgumentException.class, () -> requests.list(filter));
    }

    @Test
    void aRemedyIsAppliedWhenItIsAskedFor() {
        String call = caller.getOrganization("org_404")
                .headers()
                .firstValue("understudy-request-id")
                .orElseThrow();

        JsonNode create = requests.remedies(call).get(0);
        JsonNode done = requests.fix(call, create.path("number").asInt());

        assertEquals("Create organizations/org_404.", create.path("text").asText());
        assertEquals(200, done.path("status").asInt());
        assertEquals(200, caller.getOrganization("org_404").statusCode());
    }

    @Test
    void aTraceShowsWhatACallCaused() {
        String call = caller.post("/api/v1/organizations", "{\"display_name\":\"Globex\"}")
                .headers()
                .firstValue("understudy-request-id")
                .orElseThrow();

        Trace trace = requests.trace(call);

        assertEquals(call, trace.call());
        assertEquals("event", trace.steps().get(2).kind());
        String event = trace.steps().get(2).row().split("/")[1];
        assertEquals(call, requests.trace(event).call());
    }

    @Test
    void anExplanationSaysWhyACallWasAnsweredSo(UnderstudyEnvironment environment) {
        environment.scenario("rate-limit-once", Map.of("operation", GET));
        String limited = explanationOf(caller.getOrganization(ACME));
        String created = explanationOf(
                caller.post("/api/v1/organizations", "{\"display_name\":\"Globex\",\"colour\":\"red\"}"));
        String broken = explanationOf(caller.post("/api/v1/organizations", "{}"));

        assertTrue(limited.startsWith("GET /api/v1/organizations/" + ACME + " 429 " + GET), limited);
        assertTrue(limited.contains("Rule 0 of scenario rate-limit-once answered 429"), limited);
        assertTrue(created.contains("unknown fields: colour"), created);
        assertTrue(created.contains("change: add /organizations/org_"), created);
        assertTrue(broken.contains("breaks the contract: organization.display_name: "), broken);
    }

    @Test
    void theFirstCallOfTheSdkForNodeIsNoFailure(UnderstudyEnvironment environment) throws Exception {
        HttpRequest.Builder call = HttpRequest.newBuilder(URI.create(environment.httpUrl() + "/api/v1/users"))
                .header("x-sdk-version", "Scalekit-Node/2.11.0");
        environment.headers().forEach(call::header);
        HttpClient.newHttpClient().send(call.build(), BodyHandlers.discarding());

        String journal = environment.journal();

        assertTrue(journal.contains("This is no failure"), journal);
    }

    @Test
    void theJournalIsText(UnderstudyEnvironment environment) {
        caller.getOrganization(ACME);
        caller.getOrganization(NO_ORGANIZATION);

        String[] lines = environment.journal().split("\n");

        assertTrue(lines[1].startsWith("GET /api/v1/organizations/" + ACME + " 200 " + GET + " (req_"));
        assertTrue(lines[2].startsWith("GET /api/v1/organizations/" + NO_ORGANIZATION + " 404 " + GET + " (req_"));
        assertTrue(lines[3].startsWith("  No organization has the id " + NO_ORGANIZATION));
        requests.clear();
        assertEquals("no calls", environment.journal());
    }

    private String explanationOf(HttpResponse<String> response) {
        String id = response.headers().firstValue("understudy-request-id").orElseThrow();
        return requests.get(id).explanation();
    }

    @Test
    void aFilterNeverChanges(UnderstudyEnvironment environment) {
        RequestFilter all = new RequestFilter();
        all.operation("UserService_*").status(404).caller("usr_*").contains("x");
        new Caller(environment).get("/api/v1/organizations/" + ACME);

        assertFalse(environment.requests().list(all).isEmpty());
    }
}
