package understudytest

import (
	"net/http"
	"testing"
)

func TestTheClientTrustsTheCertificate(t *testing.T) {
	t.Parallel()
	env := Start(t)
	contains(t, env.TLSURL, "https://localhost:")

	response, err := env.HTTPClient().Get(env.TLSURL + "/keys")

	check(t, err)
	_ = response.Body.Close()
	equal(t, response.StatusCode, http.StatusOK)
	equal(t, response.ProtoMajor, 2)
}

func TestTheUsualClientNeedsNoCertificate(t *testing.T) {
	t.Parallel()
	response, err := http.Get(Service(t).URL + "/keys")
	check(t, err)
	_ = response.Body.Close()
	equal(t, response.StatusCode, http.StatusOK)
}

func TestAServiceCanBeJoinedByItsAddressWithTLS(t *testing.T) {
	t.Parallel()
	sim := Service(t)

	joined := Service(t, WithURL(sim.TLSURL))

	contains(t, joined.URL, "http://localhost:")
	equal(t, joined.TLSURL, sim.TLSURL)
	joined.Environment(t).Clock.Get()
}
