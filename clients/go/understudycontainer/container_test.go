package understudycontainer_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"understudy.example/understudytest"
	"understudy.example/understudytest/understudycontainer"
)

const scenario = "name: own\nrules: [{ on: UserService_*, reply: { error: unavailable } }]\n"

// start needs Docker, and the image: `docker build -t understudy .`
func start(t *testing.T, options ...testcontainers.ContainerCustomizer) *understudytest.Understudy {
	t.Helper()
	if exec.Command("docker", "image", "inspect", "understudy").Run() != nil {
		t.Skip("Docker has no image `understudy`")
	}
	return understudycontainer.Start(t, "understudy", options...)
}

func TestTheServiceOfAContainerHasOwnFolders(t *testing.T) {
	scenarios, more, fixtures := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(scenarios, "own.yaml"), []byte(scenario))
	write(t, filepath.Join(more, "more.yaml"), []byte(strings.Replace(scenario, "own", "more", 1)))
	empty, err := os.ReadFile("../../../fixtures/empty.json")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(fixtures, "no-rows.json"), empty)
	sim := start(t,
		understudycontainer.WithScenarioFolder(scenarios),
		understudycontainer.WithScenarioFolder(more),
		understudycontainer.WithFixtureFolder(fixtures),
	)

	env := sim.Environment(t, understudytest.WithFixture("no-rows"))
	env.Scenarios.Load("own")
	env.Scenarios.Load("more")

	if rows := env.State.List("organizations"); len(rows) != 0 || env.Token() == "" {
		t.Error(rows)
	}
}

func TestTheCertificateIsTrusted(t *testing.T) {
	sim := start(t, understudycontainer.WithTLSHosts("understudy"))

	response, err := sim.HTTPClient().Get(sim.TLSURL + "/_control/v1/health")

	if err != nil || response.StatusCode != http.StatusOK {
		t.Error(err)
	}
}

func TestAnImageThatIsNotThere(t *testing.T) {
	if exec.Command("docker", "info").Run() != nil {
		t.Skip("Docker does not run")
	}

	container, err := understudycontainer.Run(t.Context(), "understudy.invalid/none")

	if container != nil || err == nil {
		t.Error(container, err)
	}
}

func TestAFolderWithoutFilesIsAnError(t *testing.T) {
	folder := t.TempDir()
	option := understudycontainer.WithScenarioFolder(folder)

	err := option(&testcontainers.GenericContainerRequest{})

	if err == nil || !strings.Contains(err.Error(), folder+": it has no files") {
		t.Error(err)
	}
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
