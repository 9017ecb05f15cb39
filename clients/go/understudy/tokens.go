package understudy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// callback is an address where nothing listens: only the redirect to it is read.
const callback = "http://localhost/callback"

// Tokens are those of a user who has signed in.
type Tokens struct {
	Access  string `json:"access_token"`
	ID      string `json:"id_token"`
	Refresh string `json:"refresh_token"`
}

// Token returns an access token of the environment's own client, for code that is given a token.
func (env *Environment) Token(ctx context.Context) (string, error) {
	tokens, err := env.exchange(ctx, url.Values{"grant_type": {"client_credentials"}})
	return tokens.Access, err
}

// SignIn signs a user in without a browser.
func (env *Environment) SignIn(ctx context.Context, email string) (Tokens, error) {
	code, err := env.code(ctx, email)
	if err != nil {
		return Tokens{}, fmt.Errorf("%s was not signed in: %w", email, err)
	}
	grant := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}}
	return env.exchange(ctx, grant)
}

func (env *Environment) code(ctx context.Context, email string) (string, error) {
	wanted := url.Values{
		"response_type": {"code"}, "client_id": {env.ClientID}, "redirect_uri": {callback},
		"scope": {"openid profile email offline_access"}, "login_hint": {email}, "understudy_auto": {"1"},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, env.URL+"/oauth/authorize?"+wanted.Encode(), nil)
	if err != nil {
		return "", err
	}
	client := *env.HTTPClient()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	location, err := response.Location()
	if err != nil {
		text, _ := io.ReadAll(response.Body)
		return "", fmt.Errorf("%s %s", response.Status, text)
	}
	answer := location.Query()
	if !answer.Has("code") {
		return "", fmt.Errorf("%s: %s", answer.Get("error"), answer.Get("error_description"))
	}
	return answer.Get("code"), nil
}

func (env *Environment) exchange(ctx context.Context, form url.Values) (tokens Tokens, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("no token for %s: %w", env.ClientID, err)
		}
	}()
	form.Set("client_id", env.ClientID)
	form.Set("client_secret", env.ClientSecret)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, env.URL+"/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		return tokens, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := env.HTTPClient().Do(request)
	if err != nil {
		return tokens, err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Tokens
		Description string `json:"error_description"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return tokens, err
	}
	if answer.Access == "" {
		return tokens, fmt.Errorf("%s: %s", response.Status, answer.Description)
	}
	return answer.Tokens, nil
}
