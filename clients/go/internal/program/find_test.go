package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const path = "github.com/acme/understudy/clients/go/internal/program"

func executableFile(t *testing.T, file string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

func found(t *testing.T, file string) []string {
	t.Helper()
	t.Setenv("UNDERSTUDY_BIN", "")
	t.Setenv("UNDERSTUDY_DOWNLOAD", "")
	words, err := find(path, file)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

func TestTheReleaseIsThatOfTheModulesVersion(t *testing.T) {
	tests := map[string]struct{ path, file, want string }{
		"a downloaded module": {path, "/go/pkg/mod/github.com/acme/understudy/clients/go@v0.2.0/internal/program/find.go",
			"https://github.com/acme/understudy/releases/download/v0.2.0"},
		"built with -trimpath": {path, "github.com/acme/understudy/clients/go@v0.2.0/internal/program/find.go",
			"https://github.com/acme/understudy/releases/download/v0.2.0"},
		"a clone": {path, "/home/ada/understudy/clients/go/internal/program/find.go", ""},
		"another host": {"go.example/understudytest/internal/program",
			"/go/pkg/mod/go.example/understudytest@v0.2.0/internal/program/find.go", ""},
	}
	for name, each := range tests {
		if got := releaseOf(each.path, each.file); got != each.want {
			t.Errorf("%s: got %q, want %q", name, got, each.want)
		}
	}
}

func TestTheBuildOfACloneComesBeforeThePath(t *testing.T) {
	clone, tools := t.TempDir(), t.TempDir()
	executableFile(t, filepath.Join(clone, "package.json"))
	built := executableFile(t, filepath.Join(clone, "dist", "understudy.js"))
	node := executableFile(t, filepath.Join(tools, "node"))
	installed := executableFile(t, filepath.Join(tools, "understudy"))
	t.Setenv("PATH", tools)
	source := filepath.Join(clone, "clients", "go", "internal", "program", "find.go")

	if words := found(t, source); !slices.Equal(words, []string{node, built}) {
		t.Error(words)
	}

	if err := os.Remove(built); err != nil {
		t.Fatal(err)
	}
	if words := found(t, source); !slices.Equal(words, []string{installed}) {
		t.Error(words)
	}
}

func TestACloneThatIsNotBuiltIsNamed(t *testing.T) {
	clone, tools := t.TempDir(), t.TempDir()
	executableFile(t, filepath.Join(clone, "package.json"))
	executableFile(t, filepath.Join(tools, "npx"))
	t.Setenv("PATH", tools)
	t.Setenv("UNDERSTUDY_BIN", "")
	t.Setenv("UNDERSTUDY_DOWNLOAD", "")

	words, err := find(path, filepath.Join(clone, "clients", "go", "internal", "program", "find.go"))

	if err == nil || !strings.Contains(err.Error(), clone+": run `npm ci` there") {
		t.Error(words, err)
	}
}

func TestWithoutACloneTheNpmPackageIsNamed(t *testing.T) {
	tools := t.TempDir()
	npx := executableFile(t, filepath.Join(tools, "npx"))
	t.Setenv("PATH", tools)

	if words := found(t, "/nowhere/find.go"); !slices.Equal(words, []string{npx, "--yes", "understudy-server"}) {
		t.Error(words)
	}
}
