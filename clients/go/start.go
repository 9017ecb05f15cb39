package understudytest

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// Options say how Understudy starts. A test with other options gets a service of its own.
type Options struct {
	// URL joins the service at this address instead of starting one. The variable UNDERSTUDY_URL does the same.
	URL string
	// Command starts Understudy, such as {"node_modules/.bin/understudy"}. The variable UNDERSTUDY_COMMAND does the
	// same and comes first.
	Command []string
	// Image starts this image in Docker.
	Image string
	// ScenarioFolders and FixtureFolders hold scenarios and fixtures of your own.
	ScenarioFolders, FixtureFolders []string
	// Flags are further flags of `understudy serve`, such as {"--fixture", "small", "--seed", "7"}.
	Flags []string
	// Timeout limits how long the start may take. Default: two minutes.
	Timeout time.Duration
}

// Start returns the service that the tests of a package share. The first call joins or starts it: the address in the
// variable UNDERSTUDY_URL, or the npm package by npx, or without Node the image `understudy` in Docker.
func Start(t testing.TB) *Understudy {
	t.Helper()
	return StartWith(t, Options{})
}

// StartWith does what Start does, with options.
func StartWith(t testing.TB, options Options) *Understudy {
	t.Helper()
	sim, err := sharedService(options)
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// Main runs the tests of a package, stops the services that they started, and ends the process. The exit code is 1 if
// a service ends with an error, as with the flag --fail-on-unused-rules. Without Main, services end unnoticed with the
// test binary.
//
//	func TestMain(m *testing.M) { understudytest.Main(m) }
func Main(m *testing.M) {
	code := m.Run()
	if err := stopAll(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// shared has the services of this test binary by their options.
var shared = struct {
	sync.Mutex
	services map[string]func() (*Understudy, error)
}{services: map[string]func() (*Understudy, error){}}

func sharedService(options Options) (*Understudy, error) {
	key := fmt.Sprintf("%#v", options)
	shared.Lock()
	get, known := shared.services[key]
	if !known {
		get = sync.OnceValues(func() (*Understudy, error) { return start(options) })
		shared.services[key] = get
	}
	shared.Unlock()
	return get()
}

func stopAll() error {
	shared.Lock()
	defer shared.Unlock()
	var first error
	for _, get := range shared.services {
		sim, err := get()
		if err != nil || sim.process == nil {
			continue
		}
		if err := sim.process.stop(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
