package understudytest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The last version of chromedp that needs no newer Go than this module.
const chromedp = "github.com/chromedp/chromedp@v0.14.2"

var (
	example  = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	require  = regexp.MustCompile(`(?m)^require .*$`)
	browsers = []string{"chromium", "chromium-browser", "google-chrome"}
)

// TestTheExamplesPass runs each example of the documentation that is a whole file, as a package of one module. An example
// with the official SDK is left out: its module could not be downloaded when this was written.
func TestTheExamplesPass(t *testing.T) {
	t.Parallel()
	folder := moduleForExamples(t)
	count := writeExamples(t, folder, func(code string) bool {
		return !strings.Contains(code, "scalekit-sdk-go") && !strings.Contains(code, "chromedp")
	})
	if count < 10 {
		t.Errorf("only %d examples", count)
	}
	runExamples(t, folder, count)
}

func TestTheExamplesWithABrowserPass(t *testing.T) {
	t.Parallel()
	if !slices.ContainsFunc(browsers, func(name string) bool { _, err := exec.LookPath(name); return err == nil }) {
		t.Skip("there is no Chromium")
	}
	folder := moduleForExamples(t)
	get := exec.Command("go", "get", chromedp)
	get.Dir = folder
	if output, err := get.CombinedOutput(); err != nil {
		t.Skipf("chromedp cannot be downloaded: %s", output)
	}
	count := writeExamples(t, folder, func(code string) bool { return strings.Contains(code, "chromedp") })
	if count == 0 {
		t.Error("no example")
	}
	runExamples(t, folder, count)
}

func moduleForExamples(t *testing.T) (folder string) {
	folder = t.TempDir()
	own, err := os.ReadFile("go.mod")
	check(t, err)
	sums, err := os.ReadFile("go.sum")
	check(t, err)
	here, err := os.Getwd()
	check(t, err)
	module := fmt.Sprintf("module example.test/shop\n\ngo 1.24.0\n\nrequire understudy.example/understudytest v0.0.0\n\n"+
		"replace understudy.example/understudytest => %s\n\n%s\n", here, require.Find(own))
	check(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte(module), 0o600))
	check(t, os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o600))
	return folder
}

// writeExamples writes the wanted examples into folders of their own.
func writeExamples(t *testing.T, folder string, wanted func(code string) bool) (count int) {
	recipes, err := filepath.Glob(filepath.Join(root, "docs", "recipes*.md"))
	check(t, err)
	for _, page := range append(recipes, "README.md", filepath.Join(root, "docs", "sdks.md")) {
		text, err := os.ReadFile(page)
		check(t, err)
		for _, at := range example.FindAllSubmatchIndex(text, -1) {
			code := string(text[at[2]:at[3]])
			if !strings.HasPrefix(code, "package ") || !wanted(code) {
				continue
			}
			count++
			line := 1 + strings.Count(string(text[:at[2]]), "\n")
			name := fmt.Sprintf("%s-%d", strings.TrimSuffix(filepath.Base(page), ".md"), line)
			check(t, os.Mkdir(filepath.Join(folder, name), 0o700))
			check(t, os.WriteFile(filepath.Join(folder, name, "shop_test.go"), []byte(code), 0o600))
		}
	}
	return count
}

func runExamples(t *testing.T, folder string, count int) {
	run := exec.Command("go", "test", "-count=1", "-v", "./...")
	run.Dir = folder
	run.Env = append(os.Environ(), "UNDERSTUDY_URL="+Service(t).URL, "PWD="+folder)

	output, err := run.CombinedOutput()

	if passed := strings.Count(string(output), "\n--- PASS: Test"); err != nil || passed < count {
		t.Errorf("%d examples, %d tests passed: %v\n%s", count, passed, err, output)
	}
}
