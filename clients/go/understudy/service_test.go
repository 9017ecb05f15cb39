package understudy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
