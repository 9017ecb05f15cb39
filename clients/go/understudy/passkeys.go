package understudy

import (
	"context"
	"encoding/json"
	"net/http"
)

// Passkey is a passkey of the software authenticator.
type Passkey struct {
	// ID is empty if the service has no such passkey.
	ID     string `json:"id"`
	UserID string `json:"user_id"`
	// CredentialID is in base64url.
	CredentialID string `json:"credential_id"`
	// RPID is the host that the passkey belongs to.
	RPID      string `json:"rp_id"`
	SignCount int    `json:"sign_count"`
	// Playwright is the second parameter of Playwright's context.credentials.create.
	Playwright PlaywrightCredential `json:"playwright"`
	// CDP is the credential of WebAuthn.addCredential in the Chrome DevTools Protocol.
	CDP CDPCredential `json:"cdp"`
}

// PlaywrightCredential has values in base64url.
type PlaywrightCredential struct {
	ID         string `json:"id"`
	UserHandle string `json:"userHandle"`
	PrivateKey string `json:"privateKey"`
	PublicKey  string `json:"publicKey"`
}

// CDPCredential has bytes in base64.
type CDPCredential struct {
	CredentialID         string `json:"credentialId"`
	IsResidentCredential bool   `json:"isResidentCredential"`
	RPID                 string `json:"rpId"`
	PrivateKey           string `json:"privateKey"`
	UserHandle           string `json:"userHandle"`
	SignCount            int    `json:"signCount"`
	UserName             string `json:"userName"`
}

// PasskeyOptions are the options of PasskeyControl.Create. What is empty is left to Understudy.
type PasskeyOptions struct {
	// Algorithm is ES256 or EdDSA. Default: ES256.
	Algorithm   string `json:"algorithm,omitempty"`
	DisplayName string `json:"display_name,omitempty"`
	// RPID is the host that the passkey belongs to. Without it, the passkey signs for every host.
	RPID string `json:"rp_id,omitempty"`
}

// SignOptions are the options of PasskeyControl.Sign. What is nil or empty is left to Understudy.
type SignOptions struct {
	// CredentialID is the passkey that signs, in base64url. Default: the newest one that fits.
	CredentialID string `json:"credential_id,omitempty"`
	// Origin is the page's. Default: the first allowed one.
	Origin string `json:"origin,omitempty"`
	// UserVerified is true unless it says otherwise.
	UserVerified *bool `json:"user_verified,omitempty"`
	// SignCount is the signature counter. Default: the next one.
	SignCount *int `json:"sign_count,omitempty"`
}

// PasskeyAnswer is what a browser answers to a challenge.
type PasskeyAnswer struct {
	// Operation is the one that comes next, and Body is its body.
	Operation string          `json:"operation"`
	Body      json.RawMessage `json:"body"`
}

// PasskeyControl is an authenticator without a browser.
type PasskeyControl struct{ control *control }

// Create makes a passkey and registers it for the user, by id or e-mail address.
func (c *PasskeyControl) Create(ctx context.Context, user string, options PasskeyOptions) (Passkey, error) {
	body := struct {
		User string `json:"user"`
		PasskeyOptions
	}{user, options}
	return fetch[Passkey](ctx, c.control, call{method: http.MethodPost, path: "/passkeys", body: body})
}

// Sign answers a challenge of registration:begin or authentication:begin.
func (c *PasskeyControl) Sign(ctx context.Context, challenge string, options SignOptions) (PasskeyAnswer, error) {
	body := struct {
		Challenge string `json:"challenge"`
		SignOptions
	}{challenge, options}
	return fetch[PasskeyAnswer](ctx, c.control, call{method: http.MethodPost, path: "/passkeys/sign", body: body})
}

// List returns the passkeys of the authenticator, oldest first.
func (c *PasskeyControl) List(ctx context.Context) ([]Passkey, error) {
	return list[Passkey](ctx, c.control, "passkeys", call{path: "/passkeys"})
}
