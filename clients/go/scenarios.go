package understudytest

import (
	"testing"

	"understudy.example/understudytest/understudy"
)

// ScenarioControl loads scenarios: simulated failures and states.
type ScenarioControl struct {
	t      testing.TB
	client *understudy.ScenarioControl
}

// Load loads a scenario by name: Load("rate-limit-once", understudytest.Params{"retry_after": 5}). It replaces a loaded
// scenario of the same name.
func (c *ScenarioControl) Load(name string, params ...Params) LoadedScenario {
	c.t.Helper()
	return must(c.client.Load(within(c.t), name, params...))(c.t)
}

// LoadObject loads a scenario that is a map or a struct, with the members of a scenario file.
func (c *ScenarioControl) LoadObject(scenario any) LoadedScenario {
	c.t.Helper()
	return must(c.client.LoadObject(within(c.t), scenario))(c.t)
}

// LoadYAML loads the text of a scenario file.
func (c *ScenarioControl) LoadYAML(text string) LoadedScenario {
	c.t.Helper()
	return must(c.client.LoadYAML(within(c.t), text))(c.t)
}

// LoadFile loads a scenario file of the machine where the test runs.
func (c *ScenarioControl) LoadFile(name string) LoadedScenario {
	c.t.Helper()
	return must(c.client.LoadFile(within(c.t), name))(c.t)
}

// List returns the scenarios that can be loaded, and those that are loaded.
func (c *ScenarioControl) List() ScenarioList {
	c.t.Helper()
	return must(c.client.List(within(c.t)))(c.t)
}

// Get returns a loaded scenario by id or name, with the counts of its rules.
func (c *ScenarioControl) Get(name string) LoadedScenario {
	c.t.Helper()
	return must(c.client.Get(within(c.t), name))(c.t)
}

// Unload removes the rules of scenarios, or of all if none is named. The state that they set stays.
func (c *ScenarioControl) Unload(names ...string) {
	c.t.Helper()
	check(c.t, c.client.Unload(within(c.t), names...))
}
