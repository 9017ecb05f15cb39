package understudytest

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// startOptions say how Understudy starts. A test with other options gets a service of its own.
type startOptions struct {
	url                             string
	command                         []string
	image                           string
	scenarioFolders, fixtureFolders []string
	flags                           []string
	timeout                         time.Duration
}

// Option says how Understudy starts, or what an environment starts with.
type Option interface {
	applyTo(*startOptions, *EnvironmentOptions)
}

// StartOption says how Understudy starts. Tests with the same options share a service.
type StartOption func(*startOptions)

func (option StartOption) applyTo(start *startOptions, _ *EnvironmentOptions) { option(start) }

func (option EnvironmentOption) applyTo(_ *startOptions, environment *EnvironmentOptions) {
	option(environment)
}

// WithURL joins the service at this address instead of starting one. The variable UNDERSTUDY_URL does the same.
func WithURL(url string) StartOption { return func(options *startOptions) { options.url = url } }

// WithCommand starts Understudy with this command, such as "node_modules/.bin/understudy". The variable
// UNDERSTUDY_COMMAND does the same and comes first.
func WithCommand(words ...string) StartOption {
	return func(options *startOptions) { options.command = words }
}

// WithImage starts this image in Docker.
func WithImage(image string) StartOption {
	return func(options *startOptions) { options.image = image }
}

// WithScenarioFolder adds a folder with scenarios of your own. It may be given again.
func WithScenarioFolder(folder string) StartOption {
	return func(options *startOptions) { options.scenarioFolders = append(options.scenarioFolders, folder) }
}

// WithFixtureFolder adds a folder with fixtures of your own. It may be given again.
func WithFixtureFolder(folder string) StartOption {
	return func(options *startOptions) { options.fixtureFolders = append(options.fixtureFolders, folder) }
}

// WithFlags adds flags of `understudy serve`, such as "--fixture", "small", "--seed", "7".
func WithFlags(flags ...string) StartOption {
	return func(options *startOptions) { options.flags = append(options.flags, flags...) }
}

// WithTimeout limits how long the start may take: two minutes without it. To join a service that runs, it limits how
// long the address is tried: 2 seconds without it.
func WithTimeout(limit time.Duration) StartOption {
	return func(options *startOptions) { options.timeout = limit }
}

// Start gives the test an isolated environment of the service that the tests of a package share. The first call joins or starts
// the service. The end of the test drops the environment, unless UNDERSTUDY_KEEP keeps it. If the test has failed, its log gets
// the journal of the environment.
func Start(t testing.TB, options ...Option) *Environment {
	t.Helper()
	var start startOptions
	var environment EnvironmentOptions
	for _, option := range options {
		option.applyTo(&start, &environment)
	}
	sim := must(sharedService(start))(t)
	return owned(t, must(sim.Client.Environment(within(t), environment))(t), sim.process == nil)
}

// Service returns the service that the tests of a package share, for tests with several environments. The first call joins or
// starts it.
func Service(t testing.TB, options ...StartOption) *Understudy {
	t.Helper()
	var wanted startOptions
	for _, option := range options {
		option(&wanted)
	}
	return must(sharedService(wanted))(t)
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

func sharedService(options startOptions) (*Understudy, error) {
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
