package understudytest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"
)

const (
	callTimeout = 10 * time.Second
	// The service waits this long if a call does not say how long.
	usualWait = 4 * time.Second
)

// yaml is a body that is the text of a scenario file.
type yaml string

// call is a call of the control API.
type call struct {
	method, path string // The method is GET if it is empty.
	query        url.Values
	body         any           // JSON, or yaml.
	wait         time.Duration // How long the service may wait before it answers.
	result       any           // A pointer for the JSON of the answer, or a *string for its text.
}

// service sends calls to the control API.
type service struct {
	url, token string
	client     *http.Client
}

// do needs no context of a test: testing.T.Context is already cancelled in Cleanup functions, which also read mail and
// the journal. Each call has a limit of its own.
func (s *service) do(c call) error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout+c.wait)
	defer cancel()
	request, err := s.request(ctx, c)
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotReachable, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotReachable, err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return refusal(request, response.StatusCode, body)
	}
	return read(body, c.result)
}

func (s *service) request(ctx context.Context, c call) (*http.Request, error) {
	body, contentType, err := content(c.body)
	if err != nil {
		return nil, err
	}
	address := s.url + "/_control/v1" + c.path
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, c.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	return request, nil
}

func content(body any) (text []byte, contentType string, err error) {
	switch given := body.(type) {
	case nil:
		return nil, "", nil
	case yaml:
		return []byte(given), "application/yaml", nil
	}
	text, err = json.Marshal(body)
	return text, "application/json", err
}

func read(body []byte, result any) error {
	switch wanted := result.(type) {
	case nil:
		return nil
	case *string:
		*wanted = string(body)
		return nil
	}
	return json.Unmarshal(body, result)
}

// control sends the calls of one environment.
type control struct {
	t       testing.TB
	service *service
	prefix  string
	failed  *failureHandler
}

// do ends the test if the call fails.
func (c *control) do(wanted call) {
	c.t.Helper()
	wanted.path = c.prefix + wanted.path
	if err := c.service.do(wanted); err != nil {
		c.fail(err)
	}
}

// list returns the items of an answer such as {"requests": [...]}.
func list[T any](c *control, member string, wanted call) (items []T) {
	c.t.Helper()
	var answer map[string]json.RawMessage
	wanted.result = &answer
	c.do(wanted)
	if err := json.Unmarshal(answer[member], &items); err != nil {
		c.fail(fmt.Errorf("the answer has no list %s: %w", member, err))
	}
	return items
}

func (c *control) fail(err error) {
	c.t.Helper()
	c.failed.handle(c.t, err)
}

// path joins segments, each escaped.
func path(segments ...string) string {
	joined := ""
	for _, segment := range segments {
		joined += "/" + url.PathEscape(segment)
	}
	return joined
}

// query leaves out what is empty.
func query(values map[string]string) url.Values {
	given := url.Values{}
	for name, value := range values {
		if value != "" {
			given.Set(name, value)
		}
	}
	return given
}

func number(value int) string {
	if value == 0 {
		return ""
	}
	return strconv.Itoa(value)
}

func flag(value bool) string {
	if !value {
		return ""
	}
	return "true"
}

func duration(value time.Duration) string { return fmt.Sprintf("%dms", value.Milliseconds()) }

// waiting returns how long a call may wait, and how the service is told.
func waiting(timeout time.Duration) (wait time.Duration, text string) {
	if timeout == 0 {
		return usualWait, ""
	}
	return timeout, duration(timeout)
}
