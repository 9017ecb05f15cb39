// An application with net/http that signs users in. The module of Scalekit's SDK for Go could not be downloaded when this
// was written, so golang.org/x/oauth2 and go-oidc, which work with every OpenID Connect provider, take its place.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

type settings struct {
	appURL, scalekitURL, clientID, clientSecret, webhookSecret string
}

type app struct {
	settings
	oauth         oauth2.Config
	verifier      *oidc.IDTokenVerifier
	api           *http.Client
	endSessionURL string
	webhook       *standardwebhooks.Webhook
	names         sync.Map // of organizations, by id
}

type claims struct {
	Email          string   `json:"email"`
	OrganizationID string   `json:"oid"`
	Permissions    []string `json:"permissions"`
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<title>Invoices</title>
{{if .Email}}<p>Signed in as {{.Email}} of {{.Organization}}.</p><a href="/logout">Sign out</a>
{{else}}<a href="/login">Sign in</a>{{end}}`))

func newApp(ctx context.Context, s settings) (http.Handler, error) {
	provider, err := oidc.NewProvider(ctx, s.scalekitURL)
	if err != nil {
		return nil, err
	}
	var endpoints struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&endpoints); err != nil {
		return nil, err
	}
	webhook, err := standardwebhooks.NewWebhook(s.webhookSecret)
	if err != nil {
		return nil, err
	}
	own := clientcredentials.Config{ClientID: s.clientID, ClientSecret: s.clientSecret, TokenURL: provider.Endpoint().TokenURL}
	a := &app{
		settings: s,
		oauth: oauth2.Config{
			ClientID:     s.clientID,
			ClientSecret: s.clientSecret,
			Endpoint:     provider.Endpoint(),
			RedirectURL:  s.appURL + "/callback",
			Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
		},
		verifier:      provider.Verifier(&oidc.Config{ClientID: s.clientID}),
		api:           own.Client(ctx),
		endSessionURL: endpoints.EndSession,
		webhook:       webhook,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.home)
	mux.HandleFunc("GET /login", a.login)
	mux.HandleFunc("GET /callback", a.callback)
	mux.HandleFunc("GET /logout", a.logout)
	mux.HandleFunc("GET /api/invoices", a.invoices)
	mux.HandleFunc("POST /webhooks", a.webhooks)
	return mux, nil
}

func (a *app) home(w http.ResponseWriter, r *http.Request) {
	var view struct{ Email, Organization string }
	if user, err := a.verified(r.Context(), cookie(r, "session")); err == nil {
		name, err := a.organizationName(r.Context(), user.OrganizationID)
		if err != nil {
			http.Error(w, "Please try again.", http.StatusServiceUnavailable)
			return
		}
		view.Email, view.Organization = user.Email, name
	}
	page.Execute(w, view)
}

func (a *app) login(w http.ResponseWriter, r *http.Request) {
	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	a.setCookie(w, "state", state, 600)
	a.setCookie(w, "verifier", verifier, 600)
	http.Redirect(w, r, a.oauth.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusFound)
}

func (a *app) callback(w http.ResponseWriter, r *http.Request) {
	query, state := r.URL.Query(), cookie(r, "state")
	a.setCookie(w, "state", "", -1)
	a.setCookie(w, "verifier", "", -1)
	if state == "" || query.Get("state") != state {
		http.Error(w, "The sign-in was not started here.", http.StatusForbidden)
		return
	}
	if reason := query.Get("error"); reason != "" {
		http.Error(w, "The sign-in was refused: "+reason, http.StatusForbidden)
		return
	}
	token, err := a.oauth.Exchange(r.Context(), query.Get("code"), oauth2.VerifierOption(cookie(r, "verifier")))
	if err != nil {
		http.Error(w, "Please try again.", http.StatusServiceUnavailable)
		return
	}
	idToken, _ := token.Extra("id_token").(string)
	a.setCookie(w, "session", idToken, 0)
	http.Redirect(w, r, "/", http.StatusFound)
}

func (a *app) logout(w http.ResponseWriter, r *http.Request) {
	query := url.Values{"id_token_hint": {cookie(r, "session")}, "post_logout_redirect_uri": {a.appURL}}
	a.setCookie(w, "session", "", -1)
	http.Redirect(w, r, a.endSessionURL+"?"+query.Encode(), http.StatusFound)
}

func (a *app) invoices(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	caller, err := a.verified(r.Context(), token)
	if err != nil {
		http.Error(w, "a valid access token is missing", http.StatusUnauthorized)
		return
	}
	if !slices.Contains(caller.Permissions, "invoices:read") {
		http.Error(w, "the permission invoices:read is missing", http.StatusForbidden)
		return
	}
	json.NewEncoder(w).Encode([]string{"INV-1", "INV-2"})
}

func (a *app) webhooks(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || a.webhook.Verify(body, r.Header) != nil {
		http.Error(w, "the signature is wrong", http.StatusUnauthorized)
		return
	}
	var event struct {
		Type string
		Data struct {
			ID          string
			DisplayName string `json:"display_name"`
		}
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if event.Type == "organization.updated" {
		a.names.Store(event.Data.ID, event.Data.DisplayName)
	}
	w.WriteHeader(http.StatusNoContent)
}

// verified returns the claims of a token that the service has signed for this application.
func (a *app) verified(ctx context.Context, token string) (claims, error) {
	var found claims
	checked, err := a.verifier.Verify(ctx, token)
	if err != nil {
		return found, err
	}
	return found, checked.Claims(&found)
}

func (a *app) organizationName(ctx context.Context, id string) (string, error) {
	if name, ok := a.names.Load(id); ok {
		return name.(string), nil
	}
	request, err := http.NewRequestWithContext(ctx, "GET", a.scalekitURL+"/api/v1/organizations/"+id, nil)
	if err != nil {
		return "", err
	}
	response, err := a.api.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the organization %s: %s", id, response.Status)
	}
	var found struct {
		Organization struct {
			DisplayName string `json:"display_name"`
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		return "", err
	}
	a.names.Store(id, found.Organization.DisplayName)
	return found.Organization.DisplayName, nil
}

func (a *app) setCookie(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, MaxAge: maxAge, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(a.appURL, "https:"),
	})
}

func cookie(r *http.Request, name string) string {
	found, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return found.Value
}
