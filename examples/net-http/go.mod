module understudy.example/invoices

go 1.26.0

require (
	github.com/coreos/go-oidc/v3 v3.21.0
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
	golang.org/x/oauth2 v0.38.0
	understudy.example/understudytest v0.0.0
)

require github.com/go-jose/go-jose/v4 v4.1.4 // indirect

replace understudy.example/understudytest => ../../clients/go
