// Package program finds the program Understudy on this machine, or downloads it.
package program

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
)

// Find returns the words of the command that runs Understudy: the first of these that is there. It returns nothing if only
// Docker can run it.
//
//   - the file that the variable UNDERSTUDY_BIN names
//   - the executable of a release: of the address UNDERSTUDY_DOWNLOAD, or of the version of this module
//   - what was built in the clone that a replace directive leads to
//   - understudy on the PATH
//   - the npm package
func Find() ([]string, error) {
	_, file, _, _ := runtime.Caller(0)
	return find(reflect.TypeFor[source]().PkgPath(), file)
}

// source is a type of this package, so that its path is known.
type source struct{}

// find is Find for the package with this path, whose source is this file.
func find(path, file string) ([]string, error) {
	if file := os.Getenv("UNDERSTUDY_BIN"); file != "" {
		return []string{file}, nil
	}
	if address := cmp.Or(os.Getenv("UNDERSTUDY_DOWNLOAD"), releaseOf(path, file)); address != "" {
		file, err := downloaded(strings.TrimSuffix(address, "/"))
		return []string{file}, err
	}
	if built := builtIn(cloneOf(file)); built != nil {
		return built, nil
	}
	if file, err := exec.LookPath("understudy"); err == nil {
		return []string{file}, nil
	}
	if npx, err := exec.LookPath("npx"); err == nil {
		if clone := cloneOf(file); clone != "" {
			return nil, fmt.Errorf("no Understudy was built in %s: run `npm ci` there, with Node 20.19 or later", clone)
		}
		return []string{npx, "--yes", "understudy-server"}, nil
	}
	return nil, nil
}

var versionInPath = regexp.MustCompile(`@(v[^/]+)/internal/program/`)

// releaseOf returns the address of the release that this module belongs to. Go keeps a downloaded module in a folder with its
// version, which is the tag of the release without the folder of the module. Without a version, it returns an empty text.
func releaseOf(path, file string) string {
	version := versionInPath.FindStringSubmatch(filepath.ToSlash(file))
	parts := strings.Split(path, "/")
	if version == nil || parts[0] != "github.com" {
		return ""
	}
	return "https://" + strings.Join(parts[:3], "/") + "/releases/download/" + version[1]
}

// cloneOf returns the folder of the clone that has this file, and an empty text for a downloaded module.
func cloneOf(file string) string {
	clone := filepath.Join(filepath.Dir(file), "..", "..", "..", "..")
	_, err := os.Stat(filepath.Join(clone, "package.json"))
	if err != nil || !filepath.IsAbs(file) {
		return ""
	}
	return clone
}

// builtIn returns the command that runs what was built in the clone, if it was built.
func builtIn(clone string) []string {
	built := filepath.Join(clone, "dist", "understudy.js")
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(built); clone == "" || err != nil || missing != nil {
		return nil
	}
	return []string{node, built}
}
