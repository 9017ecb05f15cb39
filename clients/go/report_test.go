package understudytest

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

const inner = "UNDERSTUDYTEST_INNER"

// These three are made to fail or to be killed. Other tests run them in a process of their own.
func TestInnerThatFails(t *testing.T) {
	if os.Getenv(inner) == "" {
		t.Skip("for TestAFailedTestLogsTheJournal")
	}
	env := Start(t).Environment(t)
	getOrganization(env, noOrganization)
	env.Requests.Verify(RequestMatch{Operation: "UserService_*"})
}

func TestInnerWithAnUnusedRule(t *testing.T) {
	if os.Getenv(inner) == "" {
		t.Skip("for TestMainFailsIfAServiceEndsWithAnError")
	}
	Start(t, WithFlags("--scenario", "rate-limit-once", "--fail-on-unused-rules"))
}

func TestInnerThatIsReported(t *testing.T) {
	if os.Getenv(inner) == "" {
		t.Skip("for TestTheVariableWritesAReport")
	}
	getOrganization(Start(t).Environment(t), acme)
	t.Error("a test that fails")
}

func TestInnerThatIsKilled(t *testing.T) {
	file := os.Getenv(inner)
	if file == "" {
		t.Skip("for TestTheServiceEndsWhenTheTestBinaryIsKilled")
	}
	check(t, os.WriteFile(file, []byte(Start(t).URL), 0o600))
	os.Exit(9)
}

func TestAFailedTestLogsTheJournal(t *testing.T) {
	t.Parallel()
	output, code := runTests(t, "TestInnerThatFails", inner+"=yes")

	equal(t, code, 1)
	// Both at the lines of the test, not of the client.
	for _, line := range []string{`report_test\.go:\d+: expected at least 1 call`, `report_test\.go:\d+: Understudy journal of env-`} {
		if !regexp.MustCompile(line).MatchString(output) {
			t.Errorf("%s is not in:\n%s", line, output)
		}
	}
	contains(t, output, "GET /api/v1/organizations/"+noOrganization+" 404 "+getOperation)
	contains(t, output, "  answer: ")
}

func TestTheVariableWritesAReport(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.md")

	_, code := runTests(t, "TestInnerThatIsReported", inner+"=yes", "UNDERSTUDY_URL=", "UNDERSTUDY_REPORT="+file)

	equal(t, code, 1)
	text, err := os.ReadFile(file)
	check(t, err)
	contains(t, string(text), "### Understudy: 0 of 2 calls failed")
}

func TestMainFailsIfAServiceEndsWithAnError(t *testing.T) {
	t.Parallel()
	output, code := runTests(t, "TestInnerWithAnUnusedRule", inner+"=yes", "UNDERSTUDY_URL=")
	equal(t, code, 1)
	contains(t, output, "PASS")
	contains(t, output, "rate-limit-once")
}

func TestTheServiceEndsWhenTheTestBinaryIsKilled(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/address"
	_, code := runTests(t, "TestInnerThatIsKilled", inner+"="+file, "UNDERSTUDY_URL=")
	equal(t, code, 9)
	address, err := os.ReadFile(file)
	check(t, err)
	waitUntilGone(t, string(address))
}

// waitUntilGone waits until the service has closed its connection: its stream of events ends.
func waitUntilGone(t *testing.T, address string) {
	t.Helper()
	if response, err := http.Get(address + "/_control/v1/events"); err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	if response, err := http.Get(address + "/_control/v1/health"); err == nil {
		_ = response.Body.Close()
		t.Errorf("%s still answers", address)
	}
}
