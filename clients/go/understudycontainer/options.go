package understudycontainer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"

	"github.com/testcontainers/testcontainers-go"
)

// WithScenarioFolder copies a folder with scenarios of your own into the container. It may be given again.
func WithScenarioFolder(folder string) testcontainers.CustomizeRequestOption {
	return withFolder("UNDERSTUDY_SCENARIOS", "/mounted/scenarios", folder)
}

// WithFixtureFolder copies a folder with fixtures of your own into the container. It may be given again.
func WithFixtureFolder(folder string) testcontainers.CustomizeRequestOption {
	return withFolder("UNDERSTUDY_FIXTURES", "/mounted/fixtures", folder)
}

// WithTLSHosts makes the certificate valid for further names, such as the aliases of the container in a network.
func WithTLSHosts(hosts ...string) testcontainers.CustomizeRequestOption {
	return func(request *testcontainers.GenericContainerRequest) error {
		for _, host := range hosts {
			add(request, "UNDERSTUDY_TLS_HOST", host)
		}
		return nil
	}
}

// withDaemonHost makes the certificate valid for the host of Docker. It always is for this machine.
func withDaemonHost(ctx context.Context) testcontainers.CustomizeRequestOption {
	return func(request *testcontainers.GenericContainerRequest) error {
		provider, err := testcontainers.NewDockerProvider()
		if err != nil {
			return err
		}
		defer provider.Close()
		host, err := provider.DaemonHost(ctx)
		if err != nil || host == "localhost" || net.ParseIP(host).IsLoopback() {
			return err
		}
		return WithTLSHosts(host)(request)
	}
}

func withFolder(variable, target, folder string) testcontainers.CustomizeRequestOption {
	return func(request *testcontainers.GenericContainerRequest) error {
		// Two folders may have files of the same name.
		inside := fmt.Sprintf("%s-%d", target, len(request.Files))
		count := len(request.Files)
		err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			request.Files = append(request.Files, testcontainers.ContainerFile{
				HostFilePath:      filepath.Join(folder, filepath.FromSlash(name)),
				ContainerFilePath: path.Join(inside, name),
				FileMode:          0o644,
			})
			return nil
		})
		if err == nil && len(request.Files) == count {
			err = errors.New("it has no files")
		}
		if err != nil {
			return fmt.Errorf("folder %s: %w", folder, err)
		}
		add(request, variable, inside)
		return nil
	}
}

// add appends to a variable that is a list.
func add(request *testcontainers.GenericContainerRequest, variable, value string) {
	if request.Env == nil {
		request.Env = map[string]string{}
	}
	if before := request.Env[variable]; before != "" {
		value = before + "," + value
	}
	request.Env[variable] = value
}
