package understudy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestEnvironmentsAtRestComeInPages(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"":          `{"environments":[{"name":"default"},{"name":"at-rest-1"}],"next":"at-rest-1"}`,
		"at-rest-1": `{"environments":[{"name":"at-rest-2"}]}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		_, _ = answer.Write([]byte(pages[request.URL.Query().Get("since")]))
	}))
	defer server.Close()
	sim := &Service{service: &service{url: server.URL, client: server.Client()}}

	names, err := sim.EnvironmentNames(t.Context())

	if got := strings.Join(names, " "); err != nil || got != "default at-rest-1 at-rest-2" {
		t.Error(got, err)
	}
}

func TestJoinWaitsForTheAnswerOfABusyService(t *testing.T) {
	t.Parallel()
	const within = 5 * time.Second // A busy machine may hold up this process before it connects.
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		<-time.After(within + time.Second)
		answer.WriteHeader(http.StatusUnauthorized)
		_, _ = answer.Write([]byte(`{"message":"the control token is wrong"}`))
	}))
	defer server.Close()

	_, err := Join(t.Context(), server.URL, within)

	if !IsStatus(err, http.StatusUnauthorized) {
		t.Error(err)
	}
}

func TestJoinGivesUpIfNothingIsThere(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://127.0.0.1:1", "http://192.0.2.1", "https://192.0.2.1"} {
		_, err := Join(t.Context(), address, 50*time.Millisecond)
		if err == nil || !strings.Contains(err.Error(), "nothing answers at "+address) {
			t.Error(address, err)
		}
	}
}
