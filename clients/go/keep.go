package understudytest

import (
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"understudy.example/understudytest/understudy"
)

// keptTests is failed, all or empty: the tests whose environments are kept.
func keptTests() (string, error) {
	said := os.Getenv("UNDERSTUDY_KEEP")
	if said != "" && said != "failed" && said != "all" {
		return "", fmt.Errorf("UNDERSTUDY_KEEP must be failed or all, not %s", said)
	}
	return said, nil
}

// end keeps the environment of a test that has ended, or drops it, as UNDERSTUDY_KEEP says.
func (env *Environment) end(test string) (isKept bool, err error) {
	kept, err := keptTests()
	if err != nil {
		return false, err
	}
	if kept == "" || kept == "failed" && !env.t.Failed() {
		if err := env.Client.Drop(within(env.t)); err != nil {
			return false, fmt.Errorf("the environment %s cannot be dropped: %w", env.Name, err)
		}
		return false, nil
	}
	outcome := "passed"
	if env.t.Failed() {
		outcome = "failed"
	}
	err = env.Client.Keep(within(env.t), understudy.KeptTest{Test: test, Outcome: outcome})
	if understudy.IsStatus(err, http.StatusNotFound) { // The test itself has dropped it.
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the environment %s cannot be kept: %w", env.Name, err)
	}
	return true, nil
}

// place says where the calls of a failed test are after the tests, or the command that says how to keep them until then.
func (env *Environment) place(isKept bool) string {
	if env.isJoined && isKept {
		return fmt.Sprintf("kept: %s/_control/#/%s/requests", env.URL, env.Name)
	}
	return "for more: npx understudy-server explain --environment " + env.Name
}

// nameOf is the name of the test with its package and file: example.com/app/roles_test.go > TestRole/is_created.
func nameOf(t testing.TB) string {
	callers := make([]uintptr, 50)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if file := filepath.Base(frame.File); strings.HasSuffix(file, "_test.go") {
			folder, function := path.Split(frame.Function)
			name, _, _ := strings.Cut(function, ".")
			name = strings.TrimSuffix(name, "_test") // A package of tests is in the folder of the package that it tests.
			return folder + path.Join(name, file) + " > " + t.Name()
		}
		if !more {
			return t.Name()
		}
	}
}
