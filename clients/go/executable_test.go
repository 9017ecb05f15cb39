package understudytest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
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
			fmt.Fprintf(response, "%s  other\n%s  %s\n", strings.Repeat("0", 64), sum, releaseName())
		case "/v1/" + releaseName():
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

func TestTheExecutableOfTheVariableOrThePathIsStarted(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "understudy")
	check(t, os.WriteFile(file, []byte(executableScript(t)), 0o700))

	t.Run("variable", func(t *testing.T) {
		t.Setenv("UNDERSTUDY_BIN", file)
		sim, err := startOwn(t, startOptions{})
		check(t, err)
		equal(t, sim.Default(t).Name, "default")
	})
	t.Run("path", func(t *testing.T) {
		t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
		sim, err := startOwn(t, startOptions{})
		check(t, err)
		equal(t, sim.Default(t).Name, "default")
	})
}

func TestTheExecutableOfAReleaseIsDownloadedOnce(t *testing.T) {
	content := executableScript(t)
	address, downloads := release(t, content, digest([]byte(content)))
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
