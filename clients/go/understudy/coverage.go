package understudy

import "context"

// Coverage says which parts of the API the calls of an environment have used.
type Coverage struct {
	Summary    CoverageSummary    `json:"summary"`
	Operations []CoveredOperation `json:"operations"`
	Events     []CoveredEvent     `json:"events"`
}

// CoverageSummary counts what was used of what there is.
type CoverageSummary struct {
	Calls      int   `json:"calls"`
	Operations Share `json:"operations"`
	Responses  Share `json:"responses"`
	Failures   Share `json:"failures"`
	Events     Share `json:"events"`
	Rules      Share `json:"rules"`
}

// Share is a part of a total.
type Share struct {
	Covered int     `json:"covered"`
	Total   int     `json:"total"`
	Percent float64 `json:"percent"`
}

// CoveredOperation is an operation and how often it was called.
type CoveredOperation struct {
	ID    string `json:"id"`
	Calls int    `json:"calls"`
}

// CoveredEvent is a type of event and how often one happened.
type CoveredEvent struct {
	Type string `json:"type"`
	Seen int    `json:"seen"`
}

// Coverage returns what the calls of the environment have used.
func (env *Environment) Coverage(ctx context.Context) (Coverage, error) {
	wanted := query(map[string]string{"format": "json"})
	return fetch[Coverage](ctx, env.control, call{path: "/coverage", query: wanted})
}
