package understudytest

import (
	"testing"

	"understudy.example/understudytest/understudy"
)

// IdpControl is an identity provider that pushes people and groups over SCIM. People are named by their e-mail address.
type IdpControl struct {
	t      testing.TB
	client *understudy.IdpControl
}

// Late returns a control that pushes later by the clock of the environment: after 40m, or with cycle when the provider
// usually does.
func (c *IdpControl) Late(by string) *IdpControl {
	return &IdpControl{c.t, c.client.Late(by)}
}

// PushAll pushes everybody and every group, even what has not changed.
func (c *IdpControl) PushAll() Idp {
	c.t.Helper()
	return must(c.client.PushAll(within(c.t)))(c.t)
}

// Create lets a person join. Groups that are missing are made.
func (c *IdpControl) Create(user string, person Person) Idp {
	c.t.Helper()
	return must(c.client.Create(within(c.t), user, person))(c.t)
}

// Change renames the person, or changes their e-mail address.
func (c *IdpControl) Change(user string, person Person) Idp {
	c.t.Helper()
	return must(c.client.Change(within(c.t), user, person))(c.t)
}

// Move puts the person into these groups, and takes them out of all others.
func (c *IdpControl) Move(user string, groups ...string) Idp {
	c.t.Helper()
	return must(c.client.Move(within(c.t), user, groups...))(c.t)
}

// Deactivate deactivates the person.
func (c *IdpControl) Deactivate(user string) Idp {
	c.t.Helper()
	return must(c.client.Deactivate(within(c.t), user))(c.t)
}

// Activate activates the person again.
func (c *IdpControl) Activate(user string) Idp {
	c.t.Helper()
	return must(c.client.Activate(within(c.t), user))(c.t)
}

// Delete deletes the person.
func (c *IdpControl) Delete(user string) Idp {
	c.t.Helper()
	return must(c.client.Delete(within(c.t), user))(c.t)
}

// Recreate deletes the person and creates another one with the same e-mail address.
func (c *IdpControl) Recreate(user string) Idp {
	c.t.Helper()
	return must(c.client.Recreate(within(c.t), user))(c.t)
}

// Offboard does what the provider does when somebody leaves: Entra ID deactivates, and deletes after 30 days.
func (c *IdpControl) Offboard(user string) Idp {
	c.t.Helper()
	return must(c.client.Offboard(within(c.t), user))(c.t)
}

// CreateGroup makes a group.
func (c *IdpControl) CreateGroup(group string) Idp {
	c.t.Helper()
	return must(c.client.CreateGroup(within(c.t), group))(c.t)
}

// RenameGroup renames a group.
func (c *IdpControl) RenameGroup(group, name string) Idp {
	c.t.Helper()
	return must(c.client.RenameGroup(within(c.t), group, name))(c.t)
}

// DeleteGroup deletes a group.
func (c *IdpControl) DeleteGroup(group string) Idp {
	c.t.Helper()
	return must(c.client.DeleteGroup(within(c.t), group))(c.t)
}

// Sync pushes now what waits, and tries again what failed.
func (c *IdpControl) Sync() Idp {
	c.t.Helper()
	return must(c.client.Sync(within(c.t)))(c.t)
}

// SendPatch sends one PATCH for the person. If patch is nil, it is a mistake that the provider could make.
func (c *IdpControl) SendPatch(user string, patch map[string]any) Idp {
	c.t.Helper()
	return must(c.client.SendPatch(within(c.t), user, patch))(c.t)
}
