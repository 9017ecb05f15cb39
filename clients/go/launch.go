package understudytest

import (
	"cmp"
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
)

const (
	usualImage   = "understudy"
	startTimeout = 2 * time.Minute
	joinTimeout  = 30 * time.Second
)

// The service ends when its stdin closes, and so with this process, however that ends.
var serve = []string{"serve", "--memory", "--json", "--stop-with-stdin", "--log-level", "warn"}

// UNDERSTUDY_ variables of the shell are meant for other services.
var foreignVariable = regexp.MustCompile(`^(UNDERSTUDY_.*|PORT|NODE_OPTIONS)$`)

var errNoProgram = errors.New("Understudy cannot be started, because neither npx nor docker is on the PATH. Install Node 20.19 " +
	"or later, say with which command Understudy starts (UNDERSTUDY_COMMAND), or set UNDERSTUDY_URL to the address of a service")

func start(options Options) (*Understudy, error) {
	timeout := cmp.Or(options.Timeout, startTimeout)
	if url := cmp.Or(options.URL, os.Getenv("UNDERSTUDY_URL")); url != "" {
		return connect(url, cmp.Or(options.Timeout, joinTimeout))
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

func launch(options Options) (*process, error) {
	command := program(options)
	if command == nil {
		return launchContainer(options)
	}
	scenarios := repeated("--scenarios", options.ScenarioFolders)
	fixtures := repeated("--fixtures", options.FixtureFolders)
	port := []string{"--port", "0"}
	return run(slices.Concat(command, serve, port, scenarios, fixtures, options.Flags), ownVariables())
}

// program returns nil if Docker has to start the service.
func program(options Options) []string {
	if command := strings.Fields(os.Getenv("UNDERSTUDY_COMMAND")); len(command) > 0 {
		return command
	}
	if len(options.Command) > 0 {
		return options.Command
	}
	npx, err := exec.LookPath("npx")
	if options.Image != "" || err != nil {
		return nil
	}
	return []string{npx, "--yes", "--package", "understudy-server", "understudy"}
}

func launchContainer(options Options) (*process, error) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		return nil, errNoProgram
	}
	volumes, inside, err := mounted(options)
	if err != nil {
		return nil, err
	}
	name := "understudy-" + strings.ToLower(rand.Text()[:12])
	usual := []string{docker, "run", "--rm", "--interactive", "--name", name, "--publish", "127.0.0.1::8080"}
	image := []string{cmp.Or(options.Image, usualImage)}
	process, err := run(slices.Concat(usual, volumes, image, serve, inside, options.Flags), os.Environ())
	if err != nil {
		return nil, err
	}
	process.container = &container{docker: docker, name: name}
	return process, nil
}

// mounted returns the flags that show the folders to the container, and those that name them inside.
func mounted(options Options) (volumes, inside []string, err error) {
	for flag, folders := range map[string][]string{"scenarios": options.ScenarioFolders, "fixtures": options.FixtureFolders} {
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
