package understudytest_test

import (
	"os"
	"testing"

	"understudy.example/understudytest"
)

// It fails, and another test runs it in a process of its own.
func TestInnerOfAnotherPackage(t *testing.T) {
	if os.Getenv("UNDERSTUDYTEST_INNER") == "" {
		t.Skip("for TestATestOfAnotherPackageIsNamedByItsFolder")
	}
	understudytest.Start(t)
	t.Fail()
}
