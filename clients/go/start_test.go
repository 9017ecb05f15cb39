package understudytest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/understudytest/understudy"
)

// startOwn starts a service without the variables of the shell. The end of the test kills it.
func startOwn(t *testing.T, options startOptions) (*Understudy, error) {
	t.Helper()
	t.Setenv("UNDERSTUDY_URL", "")
	t.Setenv("UNDERSTUDY_COMMAND", "")
	sim, err := start(options)
	if sim != nil && sim.process != nil {
		t.Cleanup(sim.process.kill)
	}
	return sim, err
}

func TestAStartedServiceHasTheOptionsAndEnds(t *testing.T) {
	folder := t.TempDir()
	text := "name: everything-fails\nrules: [{ on: '*', reply: { error: unavailable } }]\n"
	check(t, os.WriteFile(filepath.Join(folder, "everything-fails.yaml"), []byte(text), 0o600))
	options := startOptions{command: command(), scenarioFolders: []string{folder}, flags: []string{"--fixture", "empty", "--seed", "7"}}

	sim, err := startOwn(t, options)

	check(t, err)
	env := sim.Default(t)
	equal(t, len(env.State.List("organizations")), 0)
	env.Scenarios.Load("everything-fails")
	check(t, sim.process.stop())
	_, err = connect(sim.URL, time.Second)
	equal(t, errors.Is(err, ErrNotReachable), true)
}

func TestTheTestsOfAPackageShareAService(t *testing.T) {
	first, second := Service(t), Service(t)
	equal(t, first, second)
}

func TestTheNpmPackageOfTheFolderIsStarted(t *testing.T) {
	folder := t.TempDir()
	modules := filepath.Join(folder, "node_modules")
	check(t, os.MkdirAll(filepath.Join(modules, ".bin"), 0o755))
	check(t, os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{ "devDependencies": { "understudy-server": "*" } }`), 0o600))
	check(t, os.Symlink(root, filepath.Join(modules, "understudy-server")))
	check(t, os.Symlink(filepath.Join(root, "dist", "understudy.js"), filepath.Join(modules, ".bin", "understudy-server")))
	t.Setenv("npm_config_offline", "true")
	t.Chdir(folder)

	sim, err := startOwn(t, startOptions{command: []string{"npx", "--yes", "understudy-server"}})

	check(t, err)
	equal(t, sim.Default(t).Name, "default")
}

func TestAContainerCannotWriteAReport(t *testing.T) {
	t.Setenv("UNDERSTUDY_REPORT", "run.html")
	t.Setenv("PATH", t.TempDir())
	executable(t, os.Getenv("PATH"), "docker", "#!/bin/sh\n")
	_, err := startOwn(t, startOptions{image: "understudy"})
	failsWith(t, err, "a container cannot write a report here")
}

func TestVariablesOfTheShellAreForOtherServices(t *testing.T) {
	t.Setenv("UNDERSTUDY_FIXTURE", "empty")
	t.Setenv("PORT", "1")
	sim, err := startOwn(t, startOptions{command: command()})
	check(t, err)
	equal(t, sim.Default(t).State.Get("organizations", acme)["id"], any(acme))
}

func TestAServiceWithAControlToken(t *testing.T) {
	folder := t.TempDir()
	text := fmt.Sprintf("#!/bin/sh\nUNDERSTUDY_CONTROL_TOKEN=secret exec %s \"$@\"\n", strings.Join(command(), " "))
	program := executable(t, folder, "with-token", text)
	t.Setenv("UNDERSTUDY_CONTROL_TOKEN", "secret")
	sim, err := startOwn(t, startOptions{command: []string{program}})
	check(t, err)
	sim.Default(t)

	t.Setenv("UNDERSTUDY_CONTROL_TOKEN", "wrong")
	_, err = connect(sim.URL, time.Minute)

	equal(t, understudy.IsStatus(err, 401), true)
}

func TestAStartThatFailsSaysWhy(t *testing.T) {
	idle := executable(t, t.TempDir(), "idle", "#!/bin/sh\nread line\n")
	npx := executable(t, t.TempDir(), "npx", "#!/bin/sh\necho 'npm error code E404' >&2\nexit 1\n")
	tests := []struct {
		name    string
		options startOptions
		want    string
	}{
		{"a mistake in a flag", startOptions{command: command(), flags: []string{"--fixture", "nowhere"}}, "nowhere"},
		{"a command that is not there", startOptions{command: []string{"no-such-command"}}, "cannot run no-such-command"},
		{"a package that is not published", startOptions{command: []string{npx}}, "run `npm ci && npm pack` in a clone"},
		{"a command that is never ready", startOptions{command: []string{idle}, timeout: time.Millisecond}, "was not ready after 1ms"},
	}
	for _, each := range tests {
		t.Run(each.name, func(t *testing.T) {
			_, err := startOwn(t, each.options)
			failsWith(t, err, each.want)
		})
	}
}

func TestWithoutNodeAndDockerTheMessageSaysWhatToDo(t *testing.T) {
	t.Setenv("PATH", "")
	_, err := startOwn(t, startOptions{})
	failsWith(t, err, "neither understudy, npx nor docker is on the PATH")
}

func TestARuleThatWasNeverAppliedFailsTheStop(t *testing.T) {
	flags := []string{"--scenario", "rate-limit-once", "--fail-on-unused-rules"}
	sim, err := startOwn(t, startOptions{command: command(), flags: flags})
	check(t, err)
	failsWith(t, sim.process.stop(), "rate-limit-once")
}

// Stands in for Docker's command line. It runs the service of this checkout and prints the port that the service got.
const dockerScript = `#!/usr/bin/env node
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const words = process.argv.slice(2);
appendFileSync(__dirname + '/calls', words.join(' ') + '\n');
if (words[0] === 'port') console.log(JSON.parse(readFileSync(__dirname + '/ready', 'utf8')).url.slice('http://'.length));
if (words[0] === 'run') {
  const service = [%q, ...words.slice(words.indexOf('the-image') + 1), '--port', '0'];
  const child = spawn(process.execPath, service, { stdio: ['inherit', 'pipe', 'inherit'] });
  child.stdout.once('data', (line) => {
    writeFileSync(__dirname + '/ready', line);
    process.stdout.write(line);
  });
  child.on('close', (code) => process.exit(code));
}
`

func TestAnImageIsRunWithDockersCommandLine(t *testing.T) {
	folder := t.TempDir()
	executable(t, folder, "docker", fmt.Sprintf(dockerScript, command()[1]))
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))

	sim, err := startOwn(t, startOptions{image: "the-image", flags: []string{"--seed", "7"}})

	check(t, err)
	sim.Default(t)
	text, err := os.ReadFile(filepath.Join(folder, "calls"))
	check(t, err)
	calls := strings.Split(string(text), "\n")
	contains(t, calls[0], "run --rm --interactive --name understudy-")
	contains(t, calls[0], "--publish 127.0.0.1::8080 the-image serve --memory --json --stop-with-stdin --log-level warn --seed 7")
	contains(t, calls[1], "port understudy-")
}

func TestFoldersAreMountedInTheContainer(t *testing.T) {
	folder := t.TempDir()
	executable(t, folder, "docker", "#!/bin/sh\necho \"$@\" >&2\nexit 1\n")
	t.Setenv("PATH", folder)

	_, err := startOwn(t, startOptions{image: "the-image", fixtureFolders: []string{"/own"}})

	failsWith(t, err, "--volume /own:/mounted/fixtures-0:ro")
	failsWith(t, err, "--fixtures /mounted/fixtures-0")
}

// runTests runs a test of this test binary in a process of its own.
func runTests(t *testing.T, name string, variables ...string) (output string, code int) {
	t.Helper()
	program, err := os.Executable()
	check(t, err)
	run := exec.Command(program, "-test.run", "^"+name+"$")
	run.Env = append(slices.Clone(os.Environ()), variables...)
	var both bytes.Buffer
	run.Stdout, run.Stderr = &both, &both
	_ = run.Run()
	return both.String(), run.ProcessState.ExitCode()
}

func executable(t *testing.T, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}
