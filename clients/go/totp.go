package understudytest

import (
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
func (c *TOTPControl) Enrol() (app TOTPAuthenticator) {
	c.control.t.Helper()
	body := map[string]string{"user": c.user}
	c.control.do(call{method: http.MethodPost, path: "/totp", body: body, result: &app})
	return app
}

// Get returns the app: its secret, its code, and the unused backup codes.
func (c *TOTPControl) Get() TOTPAuthenticator {
	c.control.t.Helper()
	return c.get("")
}

// Code returns what the app shows by the clock of the environment; the next code if the service has used that up.
func (c *TOTPControl) Code() string {
	c.control.t.Helper()
	return c.get("").Code
}

// CodeWithDrift returns what an app shows whose clock is ahead, or behind if the drift is negative.
func (c *TOTPControl) CodeWithDrift(drift time.Duration) string {
	c.control.t.Helper()
	return c.get(strconv.FormatInt(int64(drift/time.Second), 10)).Code
}

func (c *TOTPControl) get(drift string) (app TOTPAuthenticator) {
	c.control.t.Helper()
	c.control.do(call{path: "/totp", query: query(map[string]string{"user": c.user, "drift": drift}), result: &app})
	return app
}
