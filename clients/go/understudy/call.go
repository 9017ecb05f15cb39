package understudy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	// A service that starts on a busy machine may take long for its first answer.
	callTimeout = time.Minute
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
	result       any           // A pointer for the JSON of the answer, or a *string for its text, or a *[]byte.
}

// service sends calls to the control API.
type service struct {
	url, token string
	client     *http.Client
}

// do gives each call a limit of its own besides that of the context.
func (s *service) do(ctx context.Context, c call) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout+c.wait)
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
	case *[]byte:
		*wanted = body
		return nil
	}
	return json.Unmarshal(body, result)
}

// control sends the calls of one environment.
type control struct {
	service *service
	prefix  string
}

func (c *control) do(ctx context.Context, wanted call) error {
	wanted.path = c.prefix + wanted.path
	return c.service.do(ctx, wanted)
}

// fetch returns the JSON of the answer.
func fetch[T any](ctx context.Context, c *control, wanted call) (result T, err error) {
	wanted.result = &result
	err = c.do(ctx, wanted)
	return result, err
}

// list returns the items of an answer such as {"requests": [...]}.
func list[T any](ctx context.Context, c *control, member string, wanted call) (items []T, err error) {
	answer, err := fetch[map[string]json.RawMessage](ctx, c, wanted)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(answer[member], &items); err != nil {
		return nil, fmt.Errorf("the answer has no list %s: %w", member, err)
	}
	return items, nil
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

func flag(value bool) string {
	if value {
		return "true"
	}
	return ""
}

func number(value int) string {
	if value == 0 {
		return ""
	}
	return strconv.Itoa(value)
}

func duration(value time.Duration) string { return fmt.Sprintf("%dms", value.Milliseconds()) }

// waiting returns how long a call may wait, and how the service is told.
func waiting(timeout time.Duration) (wait time.Duration, text string) {
	if timeout == 0 {
		return usualWait, ""
	}
	return timeout, duration(timeout)
}
