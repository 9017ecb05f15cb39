package understudytest

import (
	"testing"
	"time"
)

func TestAnIdentityProviderPushes(t *testing.T) {
	t.Parallel()
	env := Start(t)
	okta := env.Idp("okta")

	created := okta.Create("mia@acme.example", Person{GivenName: "Mia", Groups: []string{"Finance"}})

	equal(t, created.Pushes[0].Status, "DONE")
	equal(t, created.DirectoryID, "dir_10000000000000601")
	okta.Change("mia@acme.example", Person{GivenName: "Maria"})
	okta.Move("mia@acme.example")
	left := okta.Offboard("mia@acme.example")
	for _, user := range left.Users {
		if user.Email == "mia@acme.example" && (user.Active || user.GivenName != "Maria" || len(user.Groups) > 0) {
			t.Errorf("not offboarded: %+v", user)
		}
	}
}

func TestAnIdentityProviderPushesLate(t *testing.T) {
	t.Parallel()
	env := Start(t)
	entra := env.Idp("entra", IdpOptions{Organization: acme})

	waiting := entra.Late("cycle").Create("mia@acme.example", Person{})

	equal(t, waiting.Users[0].IsPushed, false)
	env.Clock.Advance(40 * time.Minute)
	equal(t, entra.Sync().Users[0].IsPushed, true)
	patched := entra.SendPatch("mia@acme.example", nil)
	equal(t, patched.Pushes[0].Attempts[0].Requests[0].Status, 400)
}

func TestAnIdentityProviderDoesTheRest(t *testing.T) {
	t.Parallel()
	okta := Start(t).Idp("okta")
	okta.CreateGroup("Sales")
	okta.RenameGroup("Sales", "Revenue")
	okta.Create("mia@acme.example", Person{Groups: []string{"Revenue"}})
	okta.Deactivate("mia@acme.example")
	okta.Activate("mia@acme.example")
	okta.Recreate("mia@acme.example")

	groups := okta.PushAll().Groups
	equal(t, groups[len(groups)-1].Members[0], "mia@acme.example")
	okta.Delete("mia@acme.example")
	equal(t, len(okta.DeleteGroup("Revenue").Groups), len(groups)-1)
}
