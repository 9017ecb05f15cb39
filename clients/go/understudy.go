package understudytest

import (
	"net/http"
	"testing"

	"understudy.example/understudytest/understudy"
)

// Understudy is a running service.
type Understudy struct {
	// URL is the address without TLS. The official SDK for Go takes it: it then sends gRPC over HTTP/1.1.
	URL string
	// TLSURL is the address with TLS, for HTTPClient.
	TLSURL string
	// Client has the same calls with a context and an error that does not end the test.
	Client *understudy.Service

	process *process
}

// HTTPClient returns a client that trusts the certificate of Understudy besides those of the system.
func (sim *Understudy) HTTPClient() *http.Client { return sim.Client.HTTPClient() }

// Environment creates an isolated environment. The end of the test drops it, unless UNDERSTUDY_KEEP keeps it. If the test has failed, its log gets the
// journal of the environment.
func (sim *Understudy) Environment(t testing.TB, options ...EnvironmentOption) *Environment {
	t.Helper()
	wanted := EnvironmentOptions{}
	for _, option := range options {
		option(&wanted)
	}
	return owned(t, must(sim.Client.Environment(within(t), wanted))(t), sim.process == nil)
}

// Default returns the environment `default`. It is not isolated: every test and program can use it.
func (sim *Understudy) Default(t testing.TB) *Environment {
	t.Helper()
	return newEnvironment(t, must(sim.Client.Default(within(t)))(t))
}

// EnvironmentNames returns the names of all environments. Those at rest come last and stay at rest.
func (sim *Understudy) EnvironmentNames(t testing.TB) []string {
	t.Helper()
	return must(sim.Client.EnvironmentNames(within(t)))(t)
}
