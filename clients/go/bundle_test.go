package understudytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestInnerWithABundle(t *testing.T) {
	if os.Getenv(inner) == "" {
		t.Skip("for TestAFailedTestLeavesABundleThatCanBeReplayed")
	}
	getOrganization(Start(t), noOrganization)
	t.Fail()
}

func TestAFailedTestLeavesABundleThatCanBeReplayed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()

	output, _ := runTests(t, "TestInnerWithABundle", inner+"=yes", "UNDERSTUDY_URL=", "UNDERSTUDY_BUNDLES="+folder)

	files, err := os.ReadDir(folder)
	check(t, err)
	equal(t, len(files), 1)
	place := filepath.Join(folder, files[0].Name())
	contains(t, output, "the run: npx understudy-server open "+place)
	words := command()
	replayed, err := exec.Command(words[0], append(words[1:], "replay", place)...).Output()
	check(t, err)
	contains(t, string(replayed), "equal: ")
}

func TestReadsAndForksTakeAMoment(t *testing.T) {
	t.Parallel()
	env := Start(t)
	const organization = "org_10000000000000001"
	before := env.State.Get("organizations", organization)["display_name"]
	env.State.Patch("organizations", organization, map[string]any{"display_name": "Later"})

	then := env.State.At("0")
	equal(t, then.Get("organizations", organization)["display_name"], before)
	equal(t, len(then.List("organizations", Containing("Later"))), 0)
	equal(t, then.Counts()["organizations"], env.State.Counts()["organizations"])
	equal(t, env.ForkAt("0").State.Get("organizations", organization)["display_name"], before)
	if len(env.Bundle()) < 1000 {
		t.Error("the bundle is empty")
	}
}
