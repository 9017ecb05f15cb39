package understudytest

import (
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
}

// WithEvents returns a control whose changes also send events and webhooks.
func (c *StateControl) WithEvents() *StateControl {
	return &StateControl{control: c.control, events: true}
}

// Get returns a row.
func (c *StateControl) Get(collection, id string) (row Row) {
	c.control.t.Helper()
	c.GetInto(collection, id, &row)
	return row
}

// GetInto reads a row into a map or a struct.
func (c *StateControl) GetInto(collection, id string, row any) {
	c.control.t.Helper()
	c.control.do(call{path: "/state" + path(collection, id), result: row})
}

// RowListOptions say which rows of a collection a call lists, and in which order.
type RowListOptions struct {
	// Contains leaves rows whose JSON has each of these words. Upper and lower case are the same.
	Contains string
	// Sort is the field that orders the rows, such as display_name. If it is empty, the oldest row comes first.
	Sort string
	// Reverse turns the order around.
	Reverse bool
	// Limit is the largest number of rows, at most 1000. Zero stands for all.
	Limit int
	// Offset is the number of rows to leave out first.
	Offset int
}

func (options RowListOptions) query() url.Values {
	return query(map[string]string{
		"contains": options.Contains, "sort": options.Sort, "reverse": flag(options.Reverse),
		"limit": number(options.Limit), "offset": number(options.Offset),
	})
}

// List returns all rows of a collection.
func (c *StateControl) List(collection string) (rows []Row) {
	c.control.t.Helper()
	c.ListInto(collection, &rows)
	return rows
}

// ListWith returns some rows of a collection.
func (c *StateControl) ListWith(collection string, options RowListOptions) (rows []Row) {
	c.control.t.Helper()
	c.listInto(collection, options, &rows)
	return rows
}

// ListInto reads all rows of a collection into a slice of maps or structs.
func (c *StateControl) ListInto(collection string, rows any) {
	c.control.t.Helper()
	c.listInto(collection, RowListOptions{}, rows)
}

func (c *StateControl) listInto(collection string, options RowListOptions, rows any) {
	c.control.t.Helper()
	answer := struct {
		Rows any `json:"rows"`
	}{Rows: rows}
	c.control.do(call{path: "/state" + path(collection), query: options.query(), result: &answer})
}

// Put creates a row, or replaces the one with this id.
func (c *StateControl) Put(collection, id string, row any) Row {
	c.control.t.Helper()
	return c.write(http.MethodPut, collection, id, row)
}

// Patch changes fields of a row; nil removes a field.
func (c *StateControl) Patch(collection, id string, fields any) Row {
	c.control.t.Helper()
	return c.write(http.MethodPatch, collection, id, fields)
}

// Delete deletes a row and the rows that cannot exist without it.
func (c *StateControl) Delete(collection, id string) {
	c.control.t.Helper()
	c.control.do(call{method: http.MethodDelete, path: "/state" + path(collection, id), query: c.query()})
}

// Replace replaces all rows with a fixture, such as map[string]any{"include": []string{"empty"}}.
func (c *StateControl) Replace(fixture any) {
	c.control.t.Helper()
	c.control.do(call{method: http.MethodPut, path: "/state", body: fixture})
}

// Hash returns a hash of all rows. After a reset it is the same as at the start.
func (c *StateControl) Hash() string {
	c.control.t.Helper()
	var answer struct {
		Hash string `json:"hash"`
	}
	c.control.do(call{path: "/state/hash", result: &answer})
	return answer.Hash
}

// Counts returns the number of rows of every collection.
func (c *StateControl) Counts() map[string]int {
	c.control.t.Helper()
	var answer struct {
		Counts map[string]int `json:"counts"`
	}
	c.control.do(call{path: "/state/counts", result: &answer})
	return answer.Counts
}

func (c *StateControl) write(method, collection, id string, body any) (row Row) {
	c.control.t.Helper()
	c.control.do(call{method: method, path: "/state" + path(collection, id), query: c.query(), body: body, result: &row})
	return row
}

func (c *StateControl) query() url.Values {
	if c.events {
		return url.Values{"events": {"true"}}
	}
	return nil
}
