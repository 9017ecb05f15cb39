package understudytest

import (
	"encoding/json"
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
	env := Start(t)
	getOrganization(env, noOrganization)
	env.Requests.Verify(RequestMatch{Operation: "UserService_*"})
}

func TestInnerWithAnUnusedRule(t *testing.T) {
	if os.Getenv(inner) == "" {
		t.Skip("for TestMainFailsIfAServiceEndsWithAnError")
	}
	Service(t, WithFlags("--scenario", "rate-limit-once", "--fail-on-unused-rules"))
}

func TestInnerThatIsReported(t *testing.T) {
	if os.Getenv(inner) == "" {
		t.Skip("for TestTheVariableWritesAReport")
	}
	getOrganization(Start(t), acme)
	t.Error("a test that fails")
}

func TestInnerThatIsKilled(t *testing.T) {
	file := os.Getenv(inner)
	if file == "" {
		t.Skip("for TestTheServiceEndsWhenTheTestBinaryIsKilled")
	}
	check(t, os.WriteFile(file, []byte(Service(t).URL), 0o600))
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
	contains(t, output, "  No organization has the id org_99999999999999999 in environment env-1.")
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

func TestInnerOfOneName(t *testing.T) {
	if os.Getenv(inner) == "" {
		t.Skip("for TestTheEnvironmentsOfFailedTestsAreKept")
	}
	t.Run("fails", func(t *testing.T) {
		getOrganization(Start(t), noOrganization)
		t.Fail()
	})
	t.Run("drops it", func(t *testing.T) {
		check(t, Start(t).Client.Drop(t.Context()))
		t.Fail()
	})
	t.Run("passes", func(t *testing.T) { Start(t) })
}

// namesKeptBy runs the tests at a service of their own, and returns the environments that they leave.
func namesKeptBy(t *testing.T, test, keep string) (kept []*KeptTest, output string) {
	t.Helper()
	process, err := launch(startOptions{command: command()})
	check(t, err)
	t.Cleanup(func() { _ = process.stop() })
	url, err := process.url(startTimeout)
	check(t, err)
	output, _ = runTests(t, test, inner+"=yes", "UNDERSTUDY_URL="+url, "UNDERSTUDY_KEEP="+keep)
	response, err := http.Get(url + "/_control/v1/environments")
	check(t, err)
	defer func() { _ = response.Body.Close() }()
	var list struct{ Environments []struct{ Kept *KeptTest } }
	check(t, json.NewDecoder(response.Body).Decode(&list))
	for _, each := range list.Environments[1:] {
		kept = append(kept, each.Kept)
	}
	return kept, output
}

const innerName = "understudy.example/understudytest/report_test.go > TestInnerOfOneName/"

func TestTheEnvironmentsOfFailedTestsAreKept(t *testing.T) {
	t.Parallel()
	kept, output := namesKeptBy(t, "TestInnerOfOneName", "failed")

	equal(t, len(kept), 1)
	equal(t, *kept[0], KeptTest{Test: innerName + "fails", Outcome: "failed"})
	place := `  No organization has .*\n.*kept: http://\S+/_control/#/env-1/requests\n`
	if !regexp.MustCompile(place).MatchString(output) {
		t.Errorf("%s is not in:\n%s", place, output)
	}
}

func TestATestOfAnotherPackageIsNamedByItsFolder(t *testing.T) {
	t.Parallel()
	kept, _ := namesKeptBy(t, "TestInnerOfAnotherPackage", "failed")

	equal(t, len(kept), 1)
	equal(t, kept[0].Test, "understudy.example/understudytest/outside_test.go > TestInnerOfAnotherPackage")
}

func TestTheEnvironmentsOfAllTestsAreKept(t *testing.T) {
	t.Parallel()
	kept, _ := namesKeptBy(t, "TestInnerOfOneName", "all")

	equal(t, len(kept), 2)
	equal(t, *kept[1], KeptTest{Test: innerName + "passes", Outcome: "passed"})
}

func TestNoEnvironmentIsKeptUnlessThatIsWanted(t *testing.T) {
	t.Parallel()
	kept, output := namesKeptBy(t, "TestInnerOfOneName", "")

	equal(t, len(kept), 0)
	contains(t, output, "for more: npx understudy-server explain --environment env-1\n")
}

func TestAServiceThatWasStartedIsGoneAfterTheTests(t *testing.T) {
	t.Parallel()
	output, _ := runTests(t, "TestInnerThatFails", inner+"=yes", "UNDERSTUDY_URL=", "UNDERSTUDY_KEEP=failed")

	contains(t, output, "for more: npx understudy-server explain --environment env-1\n")
}

func TestAnotherValueOfTheVariableIsRefused(t *testing.T) {
	t.Parallel()
	output, code := runTests(t, "TestInnerThatFails", inner+"=yes", "UNDERSTUDY_KEEP=yes")

	equal(t, code, 1)
	contains(t, output, "UNDERSTUDY_KEEP must be failed or all, not yes")
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
