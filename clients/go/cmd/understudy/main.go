// Command understudy runs Understudy, a simulator of the Scalekit API, with the same arguments. It downloads the executable of
// the release that it belongs to, and checks it:
//
//	go mod edit -tool=understudy.example/understudytest/cmd/understudy
//	go tool understudy serve --memory
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"understudy.example/understudytest/internal/program"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	words, err := program.Find()
	if err != nil {
		return 1, err
	}
	if words == nil {
		return 1, errors.New("no Understudy on this machine: name its executable (UNDERSTUDY_BIN) or the release that has it " +
			"(UNDERSTUDY_DOWNLOAD)")
	}
	command := exec.Command(words[0], append(words[1:], args...)...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	// A terminal sends Ctrl-C to both, and the program decides when it ends.
	signal.Ignore(os.Interrupt)
	if err := command.Run(); command.ProcessState == nil {
		return 1, err
	}
	return command.ProcessState.ExitCode(), nil
}
