package understudy

import (
	"context"
	"net/http"
	"time"
)

// SigningKeys are the keys that /keys lists, newest first.
type SigningKeys struct {
	// Kid is the key that signs new tokens.
	Kid  string       `json:"kid"`
	Keys []SigningKey `json:"keys"`
}

// SigningKey is a key that signs tokens, or has signed some.
type SigningKey struct {
	Kid string `json:"kid"`
	// RetiresAt is when /keys no longer lists it; zero for the key that signs.
	RetiresAt time.Time `json:"retires_at"`
}

// RotateKeys signs new tokens with a new key. /keys lists the former ones until the overlap is over on the environment's
// clock; then their tokens are refused. If the overlap is zero, that is at once.
func (env *Environment) RotateKeys(ctx context.Context, overlap time.Duration) (SigningKeys, error) {
	body := map[string]string{"overlap": duration(overlap)}
	return fetch[SigningKeys](ctx, env.control, call{method: http.MethodPost, path: "/keys/rotate", body: body})
}
