package stack

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/go-jose/go-jose/v4"
	"google.golang.org/protobuf/types/dynamicpb"
)

const getOrganization = "OrganizationService/GetOrganization"

var acme = map[string]any{"id": "org_10000000000000001"}

func onBoth(t *testing.T, check func(*testing.T, *client)) {
	for name, variable := range map[string]string{"http": "UNDERSTUDY_URL", "https": "UNDERSTUDY_TLS_URL"} {
		t.Run(name, func(t *testing.T) {
			control(t, http.MethodPost, "/reset", nil)
			check(t, open(t, variable))
		})
	}
}

func TestCarrier(t *testing.T) {
	onBoth(t, func(t *testing.T, c *client) {
		response, err := http.Get(c.url + "/keys")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if isTLS := response.TLS != nil; isTLS != (response.ProtoMajor == 2) {
			t.Errorf("%s, with TLS %t", response.Proto, isTLS)
		}
	})
}

// The SDK rejects a token whose audience is a string or whose scope is a list.
func TestTokenIsAsTheSdkReadsIt(t *testing.T) {
	onBoth(t, func(t *testing.T, c *client) {
		if err := c.authenticate(); err != nil {
			t.Fatal(err)
		}
		signed, err := jose.ParseSigned(*c.token.Load(), []jose.SignatureAlgorithm{jose.RS256})
		if err != nil {
			t.Fatal(err)
		}
		text, err := signed.Verify(keysOf(t, c))
		if err != nil {
			t.Fatal(err)
		}
		var claims struct {
			Audience []string `json:"aud"`
			Scope    *string  `json:"scope"`
			Expiry   int64    `json:"exp"`
		}
		if err := json.Unmarshal(text, &claims); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if len(claims.Audience) == 0 || claims.Scope == nil || claims.Expiry == 0 {
			t.Errorf("aud, scope or exp is missing in %s", text)
		}
	})
}

func keysOf(t *testing.T, c *client) *jose.JSONWebKeySet {
	response, err := http.Get(c.url + "/keys")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	keys := new(jose.JSONWebKeySet)
	if err := json.NewDecoder(response.Body).Decode(keys); err != nil || len(keys.Keys) == 0 {
		t.Fatalf("no keys: %v", err)
	}
	return keys
}

func TestWrongSecretIs401(t *testing.T) {
	onBoth(t, func(t *testing.T, c *client) {
		if _, err := c.fetchToken("wrong"); err == nil || err.Error() != "authentication failed: HTTP 401" {
			t.Errorf("%v", err)
		}
	})
}

func TestStaleTokenIsRenewed(t *testing.T) {
	onBoth(t, func(t *testing.T, c *client) {
		stale := "stale"
		c.token.Store(&stale)
		if _, err := c.callOnce(c.methods()[getOrganization], acme); connect.CodeOf(err) != connect.CodeUnauthenticated {
			t.Fatalf("%v, wants unauthenticated", err)
		}
		if _, err := c.call(c.methods()[getOrganization], acme); err != nil {
			t.Error(err)
		}
	})
}

func TestDeadlineIsHeard(t *testing.T) {
	onBoth(t, func(t *testing.T, c *client) {
		if err := c.authenticate(); err != nil {
			t.Fatal(err)
		}
		method := c.methods()[getOrganization]
		control(t, http.MethodPost, "/scenarios", map[string]any{
			"name":  "late",
			"rules": []any{map[string]any{"on": "OrganizationService_GetOrganization", "fault": map[string]any{"delay": "20s"}}},
		})
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		_, err := c.unary(method).CallUnary(ctx, c.request(dynamicpb.NewMessage(method.Input())))
		if connect.CodeOf(err) != connect.CodeDeadlineExceeded {
			t.Errorf("%v, wants deadline_exceeded", err)
		}
	})
}

func TestManyCallersAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, c *client) {
		if err := c.authenticate(); err != nil {
			t.Fatal(err)
		}
		failures := make(chan error)
		for range 100 {
			go func() {
				_, err := c.call(c.methods()[getOrganization], acme)
				failures <- err
			}()
		}
		for range 100 {
			if err := <-failures; err != nil {
				t.Error(err)
			}
		}
	})
}
