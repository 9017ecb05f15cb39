package understudy

import (
	"context"
	"net/http"
	"time"
)

// Idp is an identity provider with its people and groups. Pushes are those of the call that returned it.
type Idp struct {
	Provider       string     `json:"provider"`
	OrganizationID string     `json:"organization_id"`
	DirectoryID    string     `json:"directory_id"`
	Endpoint       string     `json:"endpoint"`
	Users          []IdpUser  `json:"users"`
	Groups         []IdpGroup `json:"groups"`
	Pushes         []IdpPush  `json:"pushes"`
}

// IdpUser is a person at an identity provider.
type IdpUser struct {
	Email           string   `json:"email"`
	UserName        string   `json:"user_name"`
	GivenName       string   `json:"given_name"`
	FamilyName      string   `json:"family_name"`
	Active          bool     `json:"active"`
	ExternalID      string   `json:"external_id"`
	Groups          []string `json:"groups"`
	DirectoryUserID string   `json:"directory_user_id"`
	// IsPushed tells whether the directory has what the provider has.
	IsPushed bool `json:"is_pushed"`
}

// IdpGroup is a group at an identity provider.
type IdpGroup struct {
	Name             string   `json:"name"`
	Members          []string `json:"members"`
	ExternalID       string   `json:"external_id"`
	DirectoryGroupID string   `json:"directory_group_id"`
	IsPushed         bool     `json:"is_pushed"`
}

// IdpPush is what a provider pushes, or tries to push, in one go. Status is QUEUED, RETRYING, DONE or FAILED.
type IdpPush struct {
	ID            string       `json:"id"`
	Kind          string       `json:"kind"`
	Label         string       `json:"label"`
	Status        string       `json:"status"`
	NextAttemptAt *time.Time   `json:"next_attempt_at"`
	Attempts      []IdpAttempt `json:"attempts"`
}

// IdpAttempt has the requests of one attempt.
type IdpAttempt struct {
	Time     time.Time    `json:"time"`
	Requests []IdpRequest `json:"requests"`
}

// IdpRequest is a request to the directory, and what it got.
type IdpRequest struct {
	Method   string `json:"method"`
	Path     string `json:"path"`
	Status   int    `json:"status"`
	ScimType string `json:"scim_type"`
	Detail   string `json:"detail"`
	Error    string `json:"error"`
}

// IdpOptions choose the directory: of an organization, or by its id.
type IdpOptions struct {
	Organization string
	Directory    string
}

// Person is what Create and Change set. What is empty is left as it is.
type Person struct {
	GivenName, FamilyName string
	// Email is the new address, for Change.
	Email string
	// Groups are the names of the person's groups, for Create.
	Groups []string
}

// IdpControl is an identity provider that pushes people and groups over SCIM. People are named by their e-mail address.
type IdpControl struct {
	control *control
	target  map[string]any
}

// Idp returns an identity provider: okta, entra, google or generic. If the name is empty, it is that of the directory
// that has the person.
func (env *Environment) Idp(provider string, options ...IdpOptions) *IdpControl {
	target := map[string]any{}
	set(target, "provider", provider)
	for _, each := range options {
		set(target, "organization_id", each.Organization)
		set(target, "directory_id", each.Directory)
	}
	return &IdpControl{control: env.control, target: target}
}

func set(body map[string]any, name, value string) {
	if value != "" {
		body[name] = value
	}
}

// Late returns a control that pushes later by the clock of the environment: after 40m, or with cycle when the provider
// usually does.
func (c *IdpControl) Late(by string) *IdpControl {
	return &IdpControl{control: c.control, target: c.with(map[string]any{"late": by})}
}

// PushAll pushes everybody and every group, even what has not changed.
func (c *IdpControl) PushAll(ctx context.Context) (Idp, error) {
	return c.act(ctx, "push_all", nil)
}

// Create lets a person join. Groups that are missing are made.
func (c *IdpControl) Create(ctx context.Context, user string, person Person) (Idp, error) {
	return c.person(ctx, "create", user, person)
}

// Change renames the person, or changes their e-mail address.
func (c *IdpControl) Change(ctx context.Context, user string, person Person) (Idp, error) {
	return c.person(ctx, "change", user, person)
}

// Move puts the person into these groups, and takes them out of all others.
func (c *IdpControl) Move(ctx context.Context, user string, groups ...string) (Idp, error) {
	return c.act(ctx, "move", map[string]any{"user": user, "groups": append([]string{}, groups...)})
}

// Deactivate deactivates the person.
func (c *IdpControl) Deactivate(ctx context.Context, user string) (Idp, error) {
	return c.act(ctx, "deactivate", map[string]any{"user": user})
}

// Activate activates the person again.
func (c *IdpControl) Activate(ctx context.Context, user string) (Idp, error) {
	return c.act(ctx, "activate", map[string]any{"user": user})
}

// Delete deletes the person.
func (c *IdpControl) Delete(ctx context.Context, user string) (Idp, error) {
	return c.act(ctx, "delete", map[string]any{"user": user})
}

// Recreate deletes the person and creates another one with the same e-mail address.
func (c *IdpControl) Recreate(ctx context.Context, user string) (Idp, error) {
	return c.act(ctx, "recreate", map[string]any{"user": user})
}

// Offboard does what the provider does when somebody leaves: Entra ID deactivates, and deletes after 30 days.
func (c *IdpControl) Offboard(ctx context.Context, user string) (Idp, error) {
	return c.act(ctx, "offboard", map[string]any{"user": user})
}

// CreateGroup makes a group.
func (c *IdpControl) CreateGroup(ctx context.Context, group string) (Idp, error) {
	return c.act(ctx, "create_group", map[string]any{"group_name": group})
}

// RenameGroup renames a group.
func (c *IdpControl) RenameGroup(ctx context.Context, group, name string) (Idp, error) {
	return c.act(ctx, "rename_group", map[string]any{"group_name": group, "new_name": name})
}

// DeleteGroup deletes a group.
func (c *IdpControl) DeleteGroup(ctx context.Context, group string) (Idp, error) {
	return c.act(ctx, "delete_group", map[string]any{"group_name": group})
}

// Sync pushes now what waits, and tries again what failed.
func (c *IdpControl) Sync(ctx context.Context) (Idp, error) {
	return c.act(ctx, "sync", nil)
}

// SendPatch sends one PATCH for the person. If patch is nil, it is a mistake that the provider could make.
func (c *IdpControl) SendPatch(ctx context.Context, user string, patch map[string]any) (Idp, error) {
	body := map[string]any{"user": user}
	if patch != nil {
		body["patch"] = patch
	}
	return c.act(ctx, "send_patch", body)
}

func (c *IdpControl) person(ctx context.Context, action, user string, person Person) (Idp, error) {
	body := map[string]any{"user": user}
	set(body, "given_name", person.GivenName)
	set(body, "family_name", person.FamilyName)
	set(body, "email", person.Email)
	if len(person.Groups) > 0 {
		body["groups"] = person.Groups
	}
	return c.act(ctx, action, body)
}

func (c *IdpControl) with(more map[string]any) map[string]any {
	body := map[string]any{}
	for _, part := range []map[string]any{c.target, more} {
		for name, value := range part {
			body[name] = value
		}
	}
	return body
}

func (c *IdpControl) act(ctx context.Context, action string, more map[string]any) (Idp, error) {
	body := c.with(more)
	body["action"] = action
	return fetch[Idp](ctx, c.control, call{method: http.MethodPost, path: "/idp/actions", body: body})
}
