package understudy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// Row is a stored row.
type Row = map[string]any

// StateControl reads and writes stored rows by collection and id, such as "organizations", "org_10000000000000001".
// Rows and fields are a map or a struct with the JSON names of the row. Times may be written as now-1d.
type StateControl struct {
	control *control
	events  bool
	moment  string
}

// WithEvents returns a control whose changes also send events and webhooks.
func (c *StateControl) WithEvents() *StateControl {
	return &StateControl{control: c.control, events: true}
}

// At returns a control whose reads have the rows as they were: after a request such as req_17, at a time, or after a number
// of commits.
func (c *StateControl) At(moment string) *StateControl {
	return &StateControl{control: c.control, events: c.events, moment: moment}
}

// Get returns a row.
func (c *StateControl) Get(ctx context.Context, collection, id string) (Row, error) {
	return fetch[Row](ctx, c.control, call{path: "/state" + path(collection, id), query: c.then()})
}

// GetInto reads a row into a map or a struct.
func (c *StateControl) GetInto(ctx context.Context, collection, id string, row any) error {
	return c.control.do(ctx, call{path: "/state" + path(collection, id), query: c.then(), result: row})
}

// ListOption says which rows of a collection a call lists, and in which order.
type ListOption func(url.Values)

// Containing leaves rows whose JSON has each of these words. Upper and lower case are the same.
func Containing(words string) ListOption {
	return func(query url.Values) { query.Set("contains", words) }
}

// Where leaves rows whose members have these values: Where(Row{"organization_id": "org_1"}).
func Where(members Row) ListOption {
	return func(query url.Values) {
		text, err := json.Marshal(members)
		if err != nil { // The service refuses it with its own words.
			text = []byte(err.Error())
		}
		query.Set("where", string(text))
	}
}

// SortedBy orders the rows by a field, such as display_name. Without it, the oldest row comes first.
func SortedBy(field string) ListOption { return func(query url.Values) { query.Set("sort", field) } }

// Reversed turns the order around.
func Reversed() ListOption { return func(query url.Values) { query.Set("reverse", "true") } }

// Limit returns this number of rows, at most 1000. Without it, all.
func Limit(rows int) ListOption { return func(query url.Values) { query.Set("limit", number(rows)) } }

// Offset leaves out this number of rows first.
func Offset(rows int) ListOption { return func(query url.Values) { query.Set("offset", number(rows)) } }

// List returns all rows of a collection, or some of them.
func (c *StateControl) List(ctx context.Context, collection string, options ...ListOption) ([]Row, error) {
	var rows []Row
	err := c.ListInto(ctx, collection, &rows, options...)
	return rows, err
}

// ListInto reads rows of a collection into a slice of maps or structs.
func (c *StateControl) ListInto(ctx context.Context, collection string, rows any, options ...ListOption) error {
	wanted := c.then()
	for _, option := range options {
		option(wanted)
	}
	answer := struct {
		Rows any `json:"rows"`
	}{Rows: rows}
	return c.control.do(ctx, call{path: "/state" + path(collection), query: wanted, result: &answer})
}

// Put creates a row, or replaces the one with this id.
func (c *StateControl) Put(ctx context.Context, collection, id string, row any) (Row, error) {
	return c.write(ctx, http.MethodPut, collection, id, row)
}

// Patch changes fields of a row; nil removes a field.
func (c *StateControl) Patch(ctx context.Context, collection, id string, fields any) (Row, error) {
	return c.write(ctx, http.MethodPatch, collection, id, fields)
}

// Delete deletes a row and the rows that cannot exist without it.
func (c *StateControl) Delete(ctx context.Context, collection, id string) error {
	return c.control.do(ctx, call{method: http.MethodDelete, path: "/state" + path(collection, id), query: c.query()})
}

// Replace replaces all rows with a fixture, such as map[string]any{"include": []string{"empty"}}.
func (c *StateControl) Replace(ctx context.Context, fixture any) error {
	return c.control.do(ctx, call{method: http.MethodPut, path: "/state", body: fixture})
}

// Hash returns a hash of all rows. After a reset it is the same as at the start.
func (c *StateControl) Hash(ctx context.Context) (string, error) {
	answer, err := fetch[struct {
		Hash string `json:"hash"`
	}](ctx, c.control, call{path: "/state/hash"})
	return answer.Hash, err
}

// Counts returns the number of rows of every collection.
func (c *StateControl) Counts(ctx context.Context) (map[string]int, error) {
	answer, err := fetch[struct {
		Counts map[string]int `json:"counts"`
	}](ctx, c.control, call{path: "/state/counts", query: c.then()})
	return answer.Counts, err
}

func (c *StateControl) write(ctx context.Context, method, collection, id string, body any) (Row, error) {
	return fetch[Row](ctx, c.control, call{method: method, path: "/state" + path(collection, id), query: c.query(), body: body})
}

func (c *StateControl) then() url.Values { return query(map[string]string{"at": c.moment}) }

func (c *StateControl) query() url.Values {
	if c.events {
		return url.Values{"events": {"true"}}
	}
	return nil
}
