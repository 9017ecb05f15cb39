package understudytest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

const timeToEnd = 30 * time.Second

// process is a program that prints one line of JSON with its address, and ends when its stdin closes.
type process struct {
	command   *exec.Cmd
	stdin     io.Closer
	stderr    bytes.Buffer
	ready     chan string
	ended     chan struct{}
	container *container
}

func run(words []string, variables []string) (*process, error) {
	p := &process{command: exec.Command(words[0], words[1:]...), ready: make(chan string, 1), ended: make(chan struct{})}
	p.command.Env = variables
	p.command.Stderr = &p.stderr
	// A program that npx started may still hold the pipes after npx was killed. A busy machine may be slow to read them.
	p.command.WaitDelay = 15 * time.Second
	stdin, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	output, input := io.Pipe()
	p.command.Stdout = input
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("cannot run %s: %w", words[0], err)
	}
	go p.readAddress(output)
	go func() {
		_ = p.command.Wait() // The exit code is in ProcessState.
		_ = input.Close()
		close(p.ended)
	}()
	return p, nil
}

// readAddress reads the first line of JSON. Package managers may print other lines before.
func (p *process) readAddress(output io.Reader) {
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		var line struct{ URL string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.URL != "" {
			p.ready <- line.URL
			break
		}
	}
	_, _ = io.Copy(io.Discard, output)
}

func (p *process) url(timeout time.Duration) (string, error) {
	select {
	case url := <-p.ready:
		if p.container != nil {
			return p.container.url()
		}
		return url, nil
	case <-p.ended:
		return "", p.failure(fmt.Sprintf("ended with %d", p.command.ProcessState.ExitCode()))
	case <-time.After(timeout):
		p.kill()
		return "", p.failure(fmt.Sprintf("was not ready after %s", timeout))
	}
}

// stop returns an error if the program ends with one, as with --fail-on-unused-rules.
func (p *process) stop() error {
	_ = p.stdin.Close()
	select {
	case <-p.ended:
	case <-time.After(timeToEnd):
		p.kill()
	}
	if code := p.command.ProcessState.ExitCode(); code != 0 {
		return p.failure(fmt.Sprintf("ended with %d", code))
	}
	return nil
}

func (p *process) kill() {
	_ = p.stdin.Close()
	_ = p.command.Process.Kill()
	<-p.ended
	if p.container != nil {
		p.container.remove()
	}
}

// failure may be called when the program has ended.
func (p *process) failure(outcome string) error {
	message := fmt.Sprintf("`%s` %s\n%s", strings.Join(p.command.Args, " "), outcome, p.stderr.String())
	if strings.Contains(message, "E404") { // npx, where the package is neither installed nor published
		message += "\nnpm has no package understudy-server yet: run `npm ci && npm pack` in a clone of Understudy's repository, and here " +
			"`npm install --save-dev` with the file that it made"
	}
	return fmt.Errorf("Understudy: %s", strings.TrimSpace(message))
}

// container is known to Docker by its name.
type container struct{ docker, name string }

func (c *container) url() (string, error) {
	output, err := exec.Command(c.docker, "port", c.name, "8080/tcp").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("`docker port %s` failed: %s", c.name, strings.TrimSpace(string(output)))
	}
	address, _, _ := strings.Cut(string(output), "\n")
	return "http://" + address, nil
}

func (c *container) remove() {
	_ = exec.Command(c.docker, "rm", "--force", c.name).Run()
}
