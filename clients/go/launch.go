package understudytest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"understudy.example/understudytest/internal/program"
	"understudy.example/understudytest/understudy"
)

const (
	usualImage   = "understudy"
	startTimeout = 2 * time.Minute
	joinTimeout  = 2 * time.Second
)

// The service ends when its stdin closes, and so with this process, however that ends.
var serve = []string{"serve", "--memory", "--json", "--stop-with-stdin", "--log-level", "warn"}

// UNDERSTUDY_ variables of the shell are meant for other services.
var foreignVariable = regexp.MustCompile(`^(UNDERSTUDY_.*|PORT|NODE_OPTIONS)$`)

var errNoProgram = errors.New("Understudy cannot be started, because neither understudy, npx nor docker is on the PATH. Name " +
	"Understudy's executable (UNDERSTUDY_BIN) or the release that has it (UNDERSTUDY_DOWNLOAD), install Node 20.19 or later, " +
	"name the command that starts it (UNDERSTUDY_COMMAND), or set UNDERSTUDY_URL to the address of a service")

var errNoReport = errors.New("Understudy: a container cannot write a report here: start Understudy with its executable " +
	"(UNDERSTUDY_BIN) or a command")

func start(options startOptions) (*Understudy, error) {
	if _, err := keptTests(); err != nil { // A wrong value must not come to light when a test fails.
		return nil, err
	}
	timeout := cmp.Or(options.timeout, startTimeout)
	if url := cmp.Or(options.url, os.Getenv("UNDERSTUDY_URL")); url != "" {
		return opened(understudy.Join(context.Background(), url, cmp.Or(options.timeout, joinTimeout)))
	}
	process, err := launch(options)
	if err != nil {
		return nil, err
	}
	sim, err := connectTo(process, timeout)
	if err != nil {
		process.kill()
		return nil, err
	}
	return sim, nil
}

func connectTo(process *process, timeout time.Duration) (*Understudy, error) {
	url, err := process.url(timeout)
	if err != nil {
		return nil, err
	}
	sim, err := connect(url, timeout)
	if err != nil {
		return nil, err
	}
	sim.process = process
	return sim, nil
}

func connect(url string, timeout time.Duration) (*Understudy, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return opened(understudy.Connect(ctx, url))
}

func opened(client *understudy.Service, err error) (*Understudy, error) {
	if err != nil {
		return nil, err
	}
	return &Understudy{URL: client.URL, TLSURL: client.TLSURL, Client: client}, nil
}

func launch(options startOptions) (*process, error) {
	words, err := commandOf(options)
	if err != nil {
		return nil, err
	}
	if words == nil {
		return launchContainer(options)
	}
	scenarios := repeated("--scenarios", options.scenarioFolders)
	fixtures := repeated("--fixtures", options.fixtureFolders)
	port := []string{"--port", "0"}
	return run(slices.Concat(words, serve, port, scenarios, fixtures, report(), options.flags), ownVariables())
}

// commandOf returns nil if Docker has to start the service.
func commandOf(options startOptions) ([]string, error) {
	if command := strings.Fields(os.Getenv("UNDERSTUDY_COMMAND")); len(command) > 0 {
		return command, nil
	}
	if len(options.command) > 0 || options.image != "" {
		return options.command, nil
	}
	return program.Find()
}

func launchContainer(options startOptions) (*process, error) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		return nil, errNoProgram
	}
	if slices.Contains(slices.Concat(report(), options.flags), "--report") {
		return nil, errNoReport
	}
	volumes, inside, err := mounted(options)
	if err != nil {
		return nil, err
	}
	name := "understudy-" + strings.ToLower(rand.Text()[:12])
	usual := []string{docker, "run", "--rm", "--interactive", "--name", name, "--publish", "127.0.0.1::8080"}
	image := []string{cmp.Or(options.image, usualImage)}
	process, err := run(slices.Concat(usual, volumes, image, serve, inside, options.flags), os.Environ())
	if err != nil {
		return nil, err
	}
	process.container = &container{docker: docker, name: name}
	return process, nil
}

// mounted returns the flags that show the folders to the container, and those that name them inside.
func mounted(options startOptions) (volumes, inside []string, err error) {
	for flag, folders := range map[string][]string{"scenarios": options.scenarioFolders, "fixtures": options.fixtureFolders} {
		for i, folder := range folders {
			path, err := filepath.Abs(folder)
			if err != nil {
				return nil, nil, err
			}
			target := fmt.Sprintf("/mounted/%s-%d", flag, i)
			volumes = append(volumes, "--volume", path+":"+target+":ro")
			inside = append(inside, "--"+flag, target)
		}
	}
	return volumes, inside, nil
}

// report is what the service writes when it stops.
func report() []string {
	files := os.Getenv("UNDERSTUDY_REPORT")
	if files == "" {
		return nil
	}
	return []string{"--report", files}
}

func ownVariables() []string {
	var own []string
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !foreignVariable.MatchString(name) {
			own = append(own, variable)
		}
	}
	return own
}

func repeated(flag string, values []string) []string {
	var words []string
	for _, value := range values {
		words = append(words, flag, value)
	}
	return words
}
