package understudy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"strings"
	"time"
)

const pause = 100 * time.Millisecond

// Service is a running Understudy.
type Service struct {
	// URL is the address without TLS. The official SDK for Go takes it: it then sends gRPC over HTTP/1.1.
	URL string
	// TLSURL is the address with TLS, for HTTPClient.
	TLSURL string

	service *service
	client  *http.Client
}

// HTTPClient returns a client that trusts the certificate of Understudy besides those of the system.
func (s *Service) HTTPClient() *http.Client { return s.client }

// Connect joins a service that runs. It waits until the service is ready, or the context ends. A service with a control
// token needs the variable UNDERSTUDY_CONTROL_TOKEN.
func Connect(ctx context.Context, address string) (*Service, error) {
	return Join(ctx, address, math.MaxInt64)
}

// Join is Connect for an address that may be wrong: it gives up if no Understudy has taken the connection within this
// time. The answer may take longer, because a busy machine can hold up a service that is there.
func Join(ctx context.Context, address string, within time.Duration) (*Service, error) {
	end := time.Now().Add(within)
	for {
		for _, way := range waysTo(strings.TrimRight(address, "/")) {
			service := &service{url: way, token: os.Getenv("UNDERSTUDY_CONTROL_TOKEN"), client: &http.Client{}}
			err := service.answers(ctx, end)
			if err == nil {
				return newService(ctx, service)
			}
			if !errors.Is(err, ErrNotReachable) {
				return nil, err
			}
			if ctx.Err() != nil || time.Now().After(end) {
				return nil, fmt.Errorf("nothing answers at %s: start Understudy there, or correct the address, "+
					"which may come from UNDERSTUDY_URL (%w)", address, err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// answers asks whether the service is ready. The connection must be there before the end, the answer need not.
func (s *service) answers(ctx context.Context, end time.Time) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(time.Until(end), cancel)
	defer late.Stop()
	connected := func(httptrace.GotConnInfo) { late.Stop() }
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: connected})
	return s.do(ctx, call{path: "/health"})
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

func newService(ctx context.Context, service *service) (*Service, error) {
	var certificate string
	if err := service.do(ctx, call{path: "/ca.pem", result: &certificate}); err != nil {
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
	return &Service{URL: service.url, TLSURL: withTLS, service: service, client: client}, err
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

// EnvironmentOptions say what an environment starts with. What is empty is as in the environment `default`.
type EnvironmentOptions struct {
	Name string `json:"name,omitzero"`
	// Fixture is the name of the rows to start with, such as small.
	Fixture string `json:"fixture,omitzero"`
	// Seed is the number that ids, secrets and random values come from.
	Seed int `json:"seed,omitzero"`
	// Scenarios are names, or scenarios as a map or a struct. Each reset loads them again.
	Scenarios []any `json:"scenarios,omitzero"`
	// Clock is the time at which the clock stands still.
	Clock time.Time `json:"-"`
	// Strict refuses request fields that the contract does not name.
	Strict bool `json:"strict,omitzero"`
}

// Environment creates an isolated environment.
func (s *Service) Environment(ctx context.Context, options EnvironmentOptions) (*Environment, error) {
	body := struct {
		EnvironmentOptions
		Clock *clockSetting `json:"clock,omitempty"`
	}{EnvironmentOptions: options}
	if !options.Clock.IsZero() {
		body.Clock = &clockSetting{Mode: "frozen", At: options.Clock}
	}
	return s.environment(ctx, call{method: http.MethodPost, path: "/environments", body: body})
}

// Default returns the environment `default`. It is not isolated: every program can use it.
func (s *Service) Default(ctx context.Context) (*Environment, error) {
	return s.environment(ctx, call{path: "/environments/default"})
}

// madeEnvironment is what the control API says about an environment.
type madeEnvironment struct {
	Name         string `json:"name"`
	BaseURL      string `json:"base_url"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`

	CreatedAt  string `json:"created_at"`
	LastUsedAt string `json:"last_used_at"`
	Rows       int    `json:"rows"`
	Requests   int    `json:"requests"`
	Resting    bool   `json:"resting"`

	Kept *keptEnvironment `json:"kept"`
}

// keptEnvironment says for which test an environment is kept.
type keptEnvironment struct {
	Test    string `json:"test"`
	Outcome string `json:"outcome"`
	KeptAt  string `json:"kept_at"`
}

const environmentsInAPage = "1000"

// EnvironmentNames returns the names of all environments. Those at rest come last and stay at rest.
func (s *Service) EnvironmentNames(ctx context.Context) (names []string, err error) {
	for since := ""; ; {
		var page struct {
			Environments []madeEnvironment `json:"environments"`
			Next         string            `json:"next"`
		}
		wanted := query(map[string]string{"limit": environmentsInAPage, "since": since})
		if err := s.service.do(ctx, call{path: "/environments", query: wanted, result: &page}); err != nil {
			return nil, err
		}
		for _, each := range page.Environments {
			names = append(names, each.Name)
		}
		if since = page.Next; since == "" {
			return names, nil
		}
	}
}

func (s *Service) environment(ctx context.Context, wanted call) (*Environment, error) {
	var made madeEnvironment
	wanted.result = &made
	if err := s.service.do(ctx, wanted); err != nil {
		return nil, err
	}
	return newEnvironment(s, made), nil
}
