// Package understudycontainer starts the image of Understudy with testcontainers. It is a module of its own, so that
// understudytest does not depend on testcontainers.
//
//	func TestSomething(t *testing.T) {
//		env := understudycontainer.Start(t, "understudy").Environment(t)
//		// your code, with env.URL, env.ClientID and env.ClientSecret
//	}
package understudycontainer

import (
	"context"
	"fmt"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
	"understudy.example/understudytest"
)

const (
	port       = "8080/tcp"
	healthPath = "/_control/v1/health"
)

// Container is a container whose service is ready.
type Container struct{ testcontainers.Container }

// Run starts the image, with its state in memory, and waits until the service is ready. Any variable of
// `understudy serve` can be given by testcontainers.WithEnv. The container may not be nil if there is an error:
// terminate it.
func Run(ctx context.Context, image string, options ...testcontainers.ContainerCustomizer) (*Container, error) {
	own := []testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(port),
		testcontainers.WithEnv(map[string]string{"UNDERSTUDY_MEMORY": "1", "UNDERSTUDY_LOG_LEVEL": "warn"}),
		withDaemonHost(ctx),
		testcontainers.WithWaitStrategy(wait.ForHTTP(healthPath).WithPort(port)),
	}
	started, err := testcontainers.Run(ctx, image, append(own, options...)...)
	if started == nil {
		return nil, err
	}
	return &Container{started}, err
}

// URL returns the address without TLS, as the test sees it. Understudy.TLSURL of the connected service has TLS.
func (c *Container) URL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, port, "http")
}

// Start runs the image until the end of the test, and returns the service. If it has a control token, set
// UNDERSTUDY_CONTROL_TOKEN for the test, too.
func Start(t testing.TB, image string, options ...testcontainers.ContainerCustomizer) *understudytest.Understudy {
	t.Helper()
	container, err := Run(t.Context(), image, options...)
	if container != nil {
		testcontainers.CleanupContainer(t, container)
	}
	if err != nil {
		t.Fatal(fmt.Errorf("the container of Understudy: %w", err))
	}
	url, err := container.URL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return understudytest.Service(t, understudytest.WithURL(url))
}
