package understudytest

import "net/http"

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

// Load loads a scenario by name: Load("rate-limit-once", understudytest.Params{"retry_after": 5}). It replaces a loaded
// scenario of the same name.
func (c *ScenarioControl) Load(name string, params ...Params) LoadedScenario {
	c.control.t.Helper()
	body := map[string]any{"name": name}
	if len(params) > 0 {
		merged := Params{}
		for _, each := range params {
			for key, value := range each {
				merged[key] = value
			}
		}
		body["params"] = merged
	}
	return c.load(body)
}

// LoadYAML loads the text of a scenario file.
func (c *ScenarioControl) LoadYAML(text string) LoadedScenario {
	c.control.t.Helper()
	return c.load(yaml(text))
}

// List returns the scenarios that can be loaded, and those that are loaded.
func (c *ScenarioControl) List() (list ScenarioList) {
	c.control.t.Helper()
	c.control.do(call{path: "/scenarios", result: &list})
	return list
}

// Get returns a loaded scenario by id or name, with the counts of its rules.
func (c *ScenarioControl) Get(name string) (loaded LoadedScenario) {
	c.control.t.Helper()
	c.control.do(call{path: "/scenarios" + path(name), result: &loaded})
	return loaded
}

// Unload removes the rules of scenarios, or of all if none is named. The state that they set stays.
func (c *ScenarioControl) Unload(names ...string) {
	c.control.t.Helper()
	if len(names) == 0 {
		c.control.do(call{method: http.MethodDelete, path: "/scenarios"})
	}
	for _, name := range names {
		c.control.do(call{method: http.MethodDelete, path: "/scenarios" + path(name)})
	}
}

func (c *ScenarioControl) load(body any) (loaded LoadedScenario) {
	c.control.t.Helper()
	c.control.do(call{method: http.MethodPost, path: "/scenarios", body: body, result: &loaded})
	return loaded
}
