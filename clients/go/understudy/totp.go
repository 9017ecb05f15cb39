package understudy

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// TOTPAuthenticator is an authenticator app and the code that it shows.
type TOTPAuthenticator struct {
	RegistrationID string `json:"registration_id"`
	// UserID or AccountName is empty.
	UserID      string `json:"user_id"`
	AccountName string `json:"account_name"`
	// Status is PENDING, ENABLED or DISABLED.
	Status string `json:"status"`
	// Secret is in base32.
	Secret    string `json:"secret"`
	QRCodeURI string `json:"qr_code_uri"`
	// BackupCodes are the ones that are not used yet.
	BackupCodes []string `json:"backup_codes"`
	Code        string   `json:"code"`
}

// TOTPControl is the authenticator app of one user, without a telephone.
type TOTPControl struct {
	control *control
	user    string
}

// TOTP returns the authenticator app of a user, by id or e-mail address.
func (env *Environment) TOTP(user string) *TOTPControl { return &TOTPControl{env.control, user} }

// Enrol registers and enables an app for the user, who needs its code at the next sign-in.
func (c *TOTPControl) Enrol(ctx context.Context) (TOTPAuthenticator, error) {
	body := map[string]string{"user": c.user}
	return fetch[TOTPAuthenticator](ctx, c.control, call{method: http.MethodPost, path: "/totp", body: body})
}

// Get returns the app: its secret, its code, and the unused backup codes.
func (c *TOTPControl) Get(ctx context.Context) (TOTPAuthenticator, error) {
	return c.get(ctx, "")
}

// Code returns what the app shows by the clock of the environment; the next code if the service has used that up.
func (c *TOTPControl) Code(ctx context.Context) (string, error) {
	app, err := c.get(ctx, "")
	return app.Code, err
}

// CodeWithDrift returns what an app shows whose clock is ahead, or behind if the drift is negative.
func (c *TOTPControl) CodeWithDrift(ctx context.Context, drift time.Duration) (string, error) {
	app, err := c.get(ctx, strconv.FormatInt(int64(drift/time.Second), 10))
	return app.Code, err
}

func (c *TOTPControl) get(ctx context.Context, drift string) (TOTPAuthenticator, error) {
	return fetch[TOTPAuthenticator](ctx, c.control, call{path: "/totp", query: query(map[string]string{"user": c.user, "drift": drift})})
}
