package understudy

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"
)

// RequestFilter selects calls of the journal. What is empty is not looked at.
type RequestFilter struct {
	// Operation is a name, or a glob such as UserService_*.
	Operation string
	Method    string
	// Path is a path, a glob or a template.
	Path string
	// Status is a status such as 404, StatusClass a class such as 4xx, or none for calls without an answer.
	Status      int
	StatusClass string
	// Protocol is http/1.1, http/2, grpc, grpc-web, connect or mcp, or a glob such as http/*.
	Protocol string
	// Caller is the id of a client, a user or a directory, or a glob.
	Caller string
	// Contains are words that the journal shows of a call. Wait does not look at it.
	Contains string
	// Since and Before are ids of calls: only later, or only earlier calls.
	Since, Before string
	// Why adds to each call of List why it got its answer.
	Why bool
	// Limit is how many calls List returns, the latest ones. Default: 100.
	Limit int
	// Count is for how many calls Wait waits, Timeout for how long. Default: 1 call, 4 seconds.
	Count   int
	Timeout time.Duration
}

func (f RequestFilter) query() map[string]string {
	return map[string]string{
		"operation": f.Operation, "method": f.Method, "path": f.Path, "since": f.Since,
		"status": cmp.Or(number(f.Status), f.StatusClass), "protocol": f.Protocol, "caller": f.Caller,
	}
}

// RequestMatch says what a call must have to be counted. What is empty is not looked at.
type RequestMatch struct {
	Operation   string
	Method      string
	Path        string
	Status      int
	StatusClass string
	// Query, Headers and Body take the operators of a scenario's `when`.
	Query, Headers, Body map[string]any
	// Since is the id of a call. Only later calls count.
	Since string
}

func (m RequestMatch) body() map[string]any {
	match := map[string]any{}
	status := cmp.Or(number(m.Status), m.StatusClass)
	for name, value := range map[string]string{"operation": m.Operation, "method": m.Method, "path": m.Path, "status": status} {
		if value != "" {
			match[name] = value
		}
	}
	for name, value := range map[string]map[string]any{"query": m.Query, "headers": m.Headers, "body": m.Body} {
		if value != nil {
			match[name] = value
		}
	}
	return match
}

// Count is an expected number of calls: Times, AtLeast or AtMost.
type Count struct {
	name   string
	number int
}

// Times expects exactly this number of calls.
func Times(number int) Count { return Count{"times", number} }

// AtLeast expects this number of calls or more.
func AtLeast(number int) Count { return Count{"at_least", number} }

// AtMost expects this number of calls or fewer.
func AtMost(number int) Count { return Count{"at_most", number} }

// RequestControl reads the journal: every call with its answer, without secrets.
type RequestControl struct{ control *control }

// List returns the latest calls that match, oldest first.
func (c *RequestControl) List(ctx context.Context, filter RequestFilter) ([]JournalEntry, error) {
	wanted := filter.query()
	wanted["before"], wanted["limit"] = filter.Before, number(filter.Limit)
	wanted["contains"] = filter.Contains
	if filter.Why {
		wanted["why"] = "true"
	}
	return list[JournalEntry](ctx, c.control, "requests", call{path: "/requests", query: query(wanted)})
}

// Find returns the latest call that matches, or nil.
func (c *RequestControl) Find(ctx context.Context, filter RequestFilter) (*JournalEntry, error) {
	filter.Limit = 1
	found, err := c.List(ctx, filter)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Get returns the call with the id of an answer's understudy-request-id header.
func (c *RequestControl) Get(ctx context.Context, id string) (JournalEntry, error) {
	return fetch[JournalEntry](ctx, c.control, call{path: "/requests" + path(id)})
}

// Wait waits until calls match, including earlier ones, and returns them. If they do not come, the message shows the
// nearest calls.
func (c *RequestControl) Wait(ctx context.Context, filter RequestFilter) ([]JournalEntry, error) {
	wait, text := waiting(filter.Timeout)
	wanted := filter.query()
	wanted["count"], wanted["timeout"] = number(filter.Count), text
	return list[JournalEntry](ctx, c.control, "requests", call{path: "/requests/wait", query: query(wanted), wait: wait})
}

// Verify counts the calls that match: at least one if no count is given. If the number is another one, the message
// shows the nearest calls.
func (c *RequestControl) Verify(ctx context.Context, match RequestMatch, counts ...Count) (int, error) {
	body := map[string]any{"match": match.body()}
	if match.Since != "" {
		body["since"] = match.Since
	}
	for _, count := range counts {
		body[count.name] = count.number
	}
	answer, err := fetch[struct {
		Count int `json:"count"`
	}](ctx, c.control, call{method: http.MethodPost, path: "/requests/verify", body: body})
	return answer.Count, err
}

// Explain says in a few lines why a call was answered as it was.
func (c *RequestControl) Explain(ctx context.Context, id string) (string, error) {
	entry, err := c.Get(ctx, id)
	if err != nil {
		return "", err
	}
	return entry.Explain(), nil
}

// Remedies returns what would help a call. Nothing is done.
func (c *RequestControl) Remedies(ctx context.Context, id string) ([]Remedy, error) {
	return list[Remedy](ctx, c.control, "remedies", call{path: "/requests" + path(id) + "/remedies"})
}

// Fix applies the remedy with this number in the list, and returns the answer that it got.
func (c *RequestControl) Fix(ctx context.Context, id string, number int) (AppliedRemedy, error) {
	wanted := "/requests" + path(id) + "/remedies" + path(strconv.Itoa(number))
	return fetch[AppliedRemedy](ctx, c.control, call{method: http.MethodPost, path: wanted})
}

// Trace returns a call with all that it caused. The id of a delivery, a mail or another row leads to its call.
func (c *RequestControl) Trace(ctx context.Context, id string) (Trace, error) {
	return fetch[Trace](ctx, c.control, call{path: "/requests" + path(id) + "/trace"})
}

// Clear deletes the journal.
func (c *RequestControl) Clear(ctx context.Context) error {
	return c.control.do(ctx, call{method: http.MethodDelete, path: "/requests"})
}
