package understudy

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
)

// Params are the parameters of a scenario.
type Params map[string]any

// LoadedScenario is a scenario that applies to calls.
type LoadedScenario struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Params   map[string]any `json:"params"`
	Warnings []string       `json:"warnings"`
	// Rules are empty in the answer of Load; Get has them.
	Rules []LoadedRule `json:"rules"`
}

// LoadedRule counts how often a rule was applied.
type LoadedRule struct {
	On any `json:"on"`
	// From is the included scenario that has the rule.
	From string         `json:"from"`
	When map[string]any `json:"when"`
	// Seen is the number of matching calls that reached the rule, Hits how often it was applied.
	Seen int `json:"seen"`
	Hits int `json:"hits"`
	// Remaining is nil if there is no limit.
	Remaining *int `json:"remaining"`
}

// ScenarioList has the scenarios that can be loaded, and those that are loaded.
type ScenarioList struct {
	Available []AvailableScenario `json:"available"`
	Loaded    []LoadedScenario    `json:"loaded"`
}

// AvailableScenario is a scenario that can be loaded by its name.
type AvailableScenario struct {
	Name        string                       `json:"name"`
	Description string                       `json:"description"`
	Params      map[string]ScenarioParameter `json:"params"`
	File        string                       `json:"file"`
	// On is what each rule listens to, with the default values of the parameters.
	On []any `json:"on"`
}

// ScenarioParameter is a parameter of a scenario.
type ScenarioParameter struct {
	Type        string `json:"type"`
	Description string `json:"description"`
	Default     any    `json:"default"`
	Required    bool   `json:"required"`
	Enum        []any  `json:"enum"`
}

// ScenarioControl loads scenarios: simulated failures and states.
type ScenarioControl struct{ control *control }

// Load loads a scenario by name: Load(ctx, "rate-limit-once", understudy.Params{"retry_after": 5}). It replaces a loaded
// scenario of the same name.
func (c *ScenarioControl) Load(ctx context.Context, name string, params ...Params) (LoadedScenario, error) {
	body := map[string]any{"name": name}
	if len(params) > 0 {
		merged := Params{}
		for _, each := range params {
			maps.Copy(merged, each)
		}
		body["params"] = merged
	}
	return c.load(ctx, body)
}

// LoadObject loads a scenario that is a map or a struct, with the members of a scenario file.
func (c *ScenarioControl) LoadObject(ctx context.Context, scenario any) (LoadedScenario, error) {
	return c.load(ctx, scenario)
}

// LoadYAML loads the text of a scenario file.
func (c *ScenarioControl) LoadYAML(ctx context.Context, text string) (LoadedScenario, error) {
	return c.load(ctx, yaml(text))
}

// LoadFile loads a scenario file of the machine where the test runs.
func (c *ScenarioControl) LoadFile(ctx context.Context, name string) (LoadedScenario, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return LoadedScenario{}, err
	}
	loaded, err := c.load(ctx, yaml(text))
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return loaded, err
}

// List returns the scenarios that can be loaded, and those that are loaded.
func (c *ScenarioControl) List(ctx context.Context) (ScenarioList, error) {
	return fetch[ScenarioList](ctx, c.control, call{path: "/scenarios"})
}

// Get returns a loaded scenario by id or name, with the counts of its rules.
func (c *ScenarioControl) Get(ctx context.Context, name string) (LoadedScenario, error) {
	return fetch[LoadedScenario](ctx, c.control, call{path: "/scenarios" + path(name)})
}

// Unload removes the rules of scenarios, or of all if none is named. The state that they set stays.
func (c *ScenarioControl) Unload(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return c.control.do(ctx, call{method: http.MethodDelete, path: "/scenarios"})
	}
	for _, name := range names {
		if err := c.control.do(ctx, call{method: http.MethodDelete, path: "/scenarios" + path(name)}); err != nil {
			return err
		}
	}
	return nil
}

func (c *ScenarioControl) load(ctx context.Context, body any) (LoadedScenario, error) {
	return fetch[LoadedScenario](ctx, c.control, call{method: http.MethodPost, path: "/scenarios", body: body})
}
