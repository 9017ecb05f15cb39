package understudytest

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"understudy.example/understudytest/internal/program"
)

// executableScript stands in for the executable: it runs the service of this checkout.
func executableScript(t *testing.T) string {
	return "#!/bin/sh\nexec " + strings.Join(command(), " ") + ` "$@"` + "\n"
}

// release serves a folder as a release does, and counts the downloads of the executable.
func release(t *testing.T, content, sum string) (address string, downloads *atomic.Int32) {
	t.Helper()
	downloads = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		switch request.URL.Path {
		case "/v1/SHA256SUMS":
			fmt.Fprintf(response, "%s  other\n%s  %s\n", strings.Repeat("0", 64), sum, program.ReleaseName())
		case "/v1/" + program.ReleaseName():
			downloads.Add(1)
			fmt.Fprint(response, content)
		default:
			http.NotFound(response, request)
		}
	}))
	t.Cleanup(server.Close)
	caches := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", caches)
	t.Setenv("HOME", caches)
	return server.URL + "/v1/", downloads
}

func TestTheExecutableOfTheVariableIsStarted(t *testing.T) {
	file := executable(t, t.TempDir(), "understudy", executableScript(t))
	t.Setenv("UNDERSTUDY_BIN", file)

	sim, err := startOwn(t, startOptions{})

	check(t, err)
	equal(t, sim.Default(t).Name, "default")
}

// The module is used from a clone here, as with a replace directive.
func TestTheBuildOfTheCloneIsStarted(t *testing.T) {
	node, err := exec.LookPath("node")
	check(t, err)
	t.Setenv("PATH", filepath.Dir(node))

	sim, err := startOwn(t, startOptions{})

	check(t, err)
	equal(t, sim.process.command.Args[1], filepath.Join(root, "dist", "understudy.js"))
}

func TestTheExecutableOfAReleaseIsDownloadedOnce(t *testing.T) {
	content := executableScript(t)
	address, downloads := release(t, content, fmt.Sprintf("%x", sha256.Sum256([]byte(content))))
	t.Setenv("UNDERSTUDY_DOWNLOAD", address)

	for range 2 {
		sim, err := startOwn(t, startOptions{})
		check(t, err)
		equal(t, sim.Default(t).Name, "default")
	}

	equal(t, downloads.Load(), 1)
}

func TestADownloadThatIsNotWhatTheReleaseListsIsRefused(t *testing.T) {
	address, _ := release(t, "something else", strings.Repeat("a", 64))

	t.Setenv("UNDERSTUDY_DOWNLOAD", address)
	_, err := startOwn(t, startOptions{})
	failsWith(t, err, "but SHA256SUMS lists aaaa")

	t.Setenv("UNDERSTUDY_DOWNLOAD", address+"nowhere")
	_, err = startOwn(t, startOptions{})
	failsWith(t, err, "404 Not Found")
}
