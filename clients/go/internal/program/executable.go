package program

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const downloadTimeout = 5 * time.Minute

// downloaded returns the executable of a release, which SHA256SUMS beside it describes. A file that is already in the cache of
// the user is not downloaded again.
func downloaded(address string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), downloadTimeout)
	defer cancel()
	name := ReleaseName()
	sums, err := get(ctx, address+"/SHA256SUMS")
	if err != nil {
		return "", err
	}
	sum := sumOf(string(sums), name)
	if sum == "" {
		return "", fmt.Errorf("%s/SHA256SUMS does not list %s, the executable for this machine", address, name)
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(caches, "understudy", "bin", sum, name)
	if kept, err := os.ReadFile(file); err == nil && digest(kept) == sum {
		return file, nil
	}
	bytes, err := get(ctx, address+"/"+name)
	if err != nil {
		return "", err
	}
	if found := digest(bytes); found != sum {
		return "", fmt.Errorf("%s/%s has the checksum %s, but SHA256SUMS lists %s", address, name, found, sum)
	}
	return file, keep(file, bytes)
}

// keep writes a file that another process sees whole or not at all.
func keep(file string, content []byte) error {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	draft, err := os.CreateTemp(folder, "draft-")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, err = io.Copy(draft, bytes.NewReader(content))
	if closed := draft.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(draft.Name(), 0o700)
	}
	if err == nil {
		err = os.Rename(draft.Name(), file)
	}
	return err
}

// ReleaseName is such as understudy-linux-x64-musl: releases use Node's names of platforms.
func ReleaseName() string {
	platform, architecture := runtime.GOOS, runtime.GOARCH
	if platform == "windows" {
		platform = "win32"
	}
	if architecture == "amd64" {
		architecture = "x64"
	}
	name := "understudy-" + platform + "-" + architecture
	if musl, _ := filepath.Glob("/lib/ld-musl-*"); len(musl) > 0 && platform == "linux" {
		name += "-musl"
	}
	if platform == "win32" {
		name += ".exe"
	}
	return name
}

func sumOf(sums, name string) string {
	for line := range strings.Lines(sums) {
		if words := strings.Fields(line); len(words) == 2 && strings.TrimPrefix(words[1], "*") == name {
			return words[0]
		}
	}
	return ""
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func get(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s was answered %s", address, response.Status)
	}
	return io.ReadAll(response.Body)
}
