package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"
	"understudy.example/understudytest"
)

const acme = "org_10000000000000001"

// browser calls an application that has the settings of the test's environment. It keeps cookies and follows no redirects.
type browser struct {
	t      *testing.T
	client http.Client
	appURL string
}

func open(t *testing.T) (*browser, *understudytest.Environment) {
	t.Parallel()
	env := understudytest.Start(t)
	server := httptest.NewUnstartedServer(nil)
	appURL := "http://" + server.Listener.Addr().String()
	handler, err := newApp(t.Context(), settings{
		appURL:        appURL,
		scalekitURL:   env.URL,
		clientID:      env.ClientID,
		clientSecret:  env.ClientSecret,
		webhookSecret: env.Webhooks.AddEndpoint(appURL + "/webhooks").Secret,
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = handler
	server.Start()
	t.Cleanup(server.Close)
	jar, _ := cookiejar.New(nil)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{t, http.Client{Jar: jar, CheckRedirect: stay}, appURL}, env
}

func (b *browser) get(address, token string) (response *http.Response, body string) {
	b.t.Helper()
	request, err := http.NewRequest("GET", address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err = b.client.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response, string(text)
}

func (b *browser) redirect(address string) string {
	b.t.Helper()
	response, body := b.get(address, "")
	if response.StatusCode != http.StatusFound {
		b.t.Fatal(address, response.Status, body)
	}
	return response.Header.Get("Location")
}

// signInAsRavi takes two parameters in place of a click on the sign-in page.
func (b *browser) signInAsRavi() {
	b.t.Helper()
	page := b.redirect(b.appURL+"/login") + "&login_hint=ravi@acme.example&understudy_auto=1"
	b.redirect(b.redirect(page))
}

func (b *browser) expectHome(status int, text string) {
	b.t.Helper()
	response, body := b.get(b.appURL+"/", "")
	if response.StatusCode != status || !strings.Contains(body, text) {
		b.t.Errorf("got %s %s, want %d %s", response.Status, body, status, text)
	}
}

func TestAUserSignsInAndOut(t *testing.T) {
	b, _ := open(t)
	b.expectHome(http.StatusOK, "Sign in")
	b.signInAsRavi()
	b.expectHome(http.StatusOK, "Signed in as ravi@acme.example of Acme Corp.")

	if back := b.redirect(b.redirect(b.appURL + "/logout")); back != b.appURL {
		t.Error(back)
	}

	b.expectHome(http.StatusOK, "Sign in")
}

func TestARefusedSignInIsReported(t *testing.T) {
	b, env := open(t)
	env.Scenarios.Load("sign-in-denied", understudytest.Params{"error": "user_not_active"})

	response, body := b.get(b.redirect(b.redirect(b.appURL+"/login")), "")

	if response.StatusCode != http.StatusForbidden || !strings.Contains(body, "user_not_active") {
		t.Error(response.Status, body)
	}
}

func TestARateLimitIsReported(t *testing.T) {
	b, env := open(t)
	b.signInAsRavi()
	env.Scenarios.Load("rate-limit-once")

	b.expectHome(http.StatusServiceUnavailable, "Please try again.")
	b.expectHome(http.StatusOK, "Acme Corp")
}

func TestTheAPIWantsAPermission(t *testing.T) {
	b, env := open(t)
	for token, status := range map[string]int{
		"none": http.StatusUnauthorized,
		accessToken(t, b, env, "nina@nordwind.example"): http.StatusForbidden,
		accessToken(t, b, env, "ravi@acme.example"):     http.StatusOK,
	} {
		if response, _ := b.get(b.appURL+"/api/invoices", token); response.StatusCode != status {
			t.Errorf("got %s, want %d", response.Status, status)
		}
	}
}

func accessToken(t *testing.T, b *browser, env *understudytest.Environment, email string) string {
	config := oauth2.Config{
		ClientID:     env.ClientID,
		ClientSecret: env.ClientSecret,
		RedirectURL:  "http://localhost/callback",
		Scopes:       []string{"openid"},
		Endpoint:     oauth2.Endpoint{AuthURL: env.URL + "/oauth/authorize", TokenURL: env.URL + "/oauth/token"},
	}
	page := config.AuthCodeURL("any", oauth2.SetAuthURLParam("login_hint", email))
	callback, err := url.Parse(b.redirect(page + "&understudy_auto=1"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := config.Exchange(t.Context(), callback.Query().Get("code"))
	if err != nil {
		t.Fatal(err)
	}
	return token.AccessToken
}

func TestAWebhookRenamesTheOrganization(t *testing.T) {
	b, env := open(t)
	b.signInAsRavi()
	b.expectHome(http.StatusOK, "of Acme Corp.")

	env.State.WithEvents().Patch("organizations", acme, understudytest.Row{"display_name": "Acme AG"})
	env.Webhooks.Wait(understudytest.DeliveryFilter{Type: "organization.updated", Status: "SUCCESS"})

	b.expectHome(http.StatusOK, "of Acme AG.")
}

func TestAWrongSignatureIsRefused(t *testing.T) {
	_, env := open(t)
	env.Scenarios.Load("webhook-wrong-signature")

	env.Webhooks.Trigger("organization.updated", understudytest.EventOptions{})

	refused := env.Webhooks.Wait(understudytest.DeliveryFilter{Type: "organization.updated", Status: "RETRYING"})
	if status := refused[0].Attempts[0].Status; status != http.StatusUnauthorized {
		t.Error(status)
	}
}
