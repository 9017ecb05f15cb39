package understudytest

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"understudy.example/understudytest/understudy"
)

const (
	// Bundles of one run. Several packages may share a folder.
	mostBundles     = 50
	longestFileName = 100
)

var (
	begin    = time.Now()
	unusable = regexp.MustCompile(`[^\p{L}\p{N}.]+`)
	// The files that this process has written, with the tests that they are for.
	written   = map[string]string{}
	writtenMu sync.Mutex
)

// Bundle returns one compressed file with everything of the environment up to now, without secrets. `understudy open`
// shows it on any machine, and `understudy replay` makes its calls again.
func (env *Environment) Bundle() []byte {
	env.t.Helper()
	return must(env.Client.Bundle(within(env.t), understudy.BundledTest{Test: env.t.Name()}))(env.t)
}

// bundleLine writes the bundle of a failed test. It returns a line that says how to open it, or nothing if none is wanted.
func (env *Environment) bundleLine(test string) string {
	folder := os.Getenv("UNDERSTUDY_BUNDLES")
	if folder == "" {
		folder = "test-results"
	}
	if folder == "off" || countBundles(folder) >= mostBundles {
		return ""
	}
	file, _, _ := strings.Cut(test, " > ")
	content, err := env.Client.Bundle(within(env.t), understudy.BundledTest{Test: test, File: file})
	if understudy.IsStatus(err, http.StatusNotFound) { // The test itself has dropped it.
		return ""
	}
	place := placeFor(folder, test)
	if err = errors.Join(err, os.MkdirAll(folder, 0o755)); err == nil {
		err = os.WriteFile(place, content, 0o600)
	}
	if err != nil {
		return fmt.Sprintf("no bundle of the run: %s", err)
	}
	return "the run: npx understudy-server open " + place
}

// placeFor is the same for the same test in each run.
func placeFor(folder, test string) string {
	name := []rune(strings.Trim(unusable.ReplaceAllString(test, "-"), "-."))
	if len(name) > longestFileName {
		name = name[len(name)-longestFileName:]
	}
	stem := strings.TrimLeft(string(name), "-.")
	writtenMu.Lock()
	defer writtenMu.Unlock()
	for count := 1; ; count++ {
		suffix := ""
		if count > 1 {
			suffix = fmt.Sprintf("-%d", count)
		}
		place := filepath.Join(folder, stem+suffix+".understudy")
		if other, isTaken := written[place]; !isTaken || other == test {
			written[place] = test
			return place
		}
	}
}

// countBundles is the number of bundles in the folder that were written since this process began.
func countBundles(folder string) (count int) {
	places, _ := filepath.Glob(filepath.Join(folder, "*.understudy"))
	for _, place := range places {
		if info, err := os.Stat(place); err == nil && !info.ModTime().Before(begin) {
			count++
		}
	}
	return count
}
