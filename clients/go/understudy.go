package understudytest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

const pause = 100 * time.Millisecond

// Understudy is a running service.
type Understudy struct {
	// URL is the address without TLS. The official SDK for Go takes it: it then sends gRPC over HTTP/1.1.
	URL string
	// TLSURL is the address with TLS, for HTTPClient.
	TLSURL string

	service *service
	process *process
	client  *http.Client
}

// HTTPClient returns a client that trusts the certificate of Understudy besides those of the system.
func (sim *Understudy) HTTPClient() *http.Client { return sim.client }

// Default returns the environment `default`. It is not isolated: every test and program can use it.
func (sim *Understudy) Default(t testing.TB) *Environment {
	t.Helper()
	var made madeEnvironment
	if err := sim.service.do(call{path: "/environments/default", result: &made}); err != nil {
		t.Fatal(err)
	}
	return newEnvironment(t, sim, made)
}

// connect joins a service that runs, and waits until it is ready.
func connect(address string, timeout time.Duration) (*Understudy, error) {
	end := time.Now().Add(timeout)
	for {
		for _, way := range waysTo(strings.TrimRight(address, "/")) {
			service := &service{url: way, token: os.Getenv("UNDERSTUDY_CONTROL_TOKEN"), client: &http.Client{}}
			err := service.do(call{path: "/health"})
			if err == nil {
				return newUnderstudy(service)
			}
			if !errors.Is(err, ErrNotReachable) {
				return nil, err
			}
			if time.Now().After(end) {
				return nil, fmt.Errorf("nothing answers at %s: start Understudy there, or correct the address, "+
					"which may come from UNDERSTUDY_URL (%w)", address, err)
			}
		}
		time.Sleep(pause)
	}
}

// waysTo returns the address without TLS first: the port speaks both, and nothing here trusts its certificate yet.
func waysTo(address string) []string {
	if rest, isTLS := strings.CutPrefix(address, "https://"); isTLS {
		host, path, _ := strings.Cut(rest, "/")
		if _, _, err := net.SplitHostPort(host); err != nil {
			host += ":443"
		}
		return []string{strings.TrimRight("http://"+host+"/"+path, "/"), address}
	}
	return []string{address}
}

func newUnderstudy(service *service) (*Understudy, error) {
	var certificate string
	if err := service.do(call{path: "/ca.pem", result: &certificate}); err != nil {
		return nil, err
	}
	authorities, err := x509.SystemCertPool()
	if err != nil {
		authorities = x509.NewCertPool()
	}
	if !authorities.AppendCertsFromPEM([]byte(certificate)) {
		return nil, fmt.Errorf("%s/_control/v1/ca.pem has no certificate", service.url)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: authorities}
	withTLS, err := tlsURL(service.url)
	client := &http.Client{Transport: transport}
	return &Understudy{URL: service.url, TLSURL: withTLS, service: service, client: client}, err
}

// tlsURL returns the same host and port with TLS. The certificate has the name `localhost`.
func tlsURL(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme == "https" {
		return address, err
	}
	host, port := parsed.Hostname(), parsed.Port()
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		host = "localhost"
	}
	if port == "" {
		port = "80"
	}
	return "https://" + net.JoinHostPort(host, port) + parsed.Path, nil
}
