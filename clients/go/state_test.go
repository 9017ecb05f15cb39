package understudytest

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

type organization struct {
	ID          string         `json:"id,omitempty"`
	DisplayName string         `json:"display_name"`
	Region      string         `json:"region_code"`
	Metadata    map[string]any `json:"metadata"`
	CreateTime  string         `json:"create_time"`
	UpdateTime  string         `json:"update_time"`
}

func TestRowsAreMapsOrStructs(t *testing.T) {
	t.Parallel()
	env := Start(t)
	before := env.State.Hash()
	row := organization{DisplayName: "Globex", Region: "US", Metadata: map[string]any{}, CreateTime: "now", UpdateTime: "now"}

	organizations := env.State.Counts()["organizations"]
	env.State.Put("organizations", "org_1", row)
	equal(t, env.State.Counts()["organizations"], organizations+1)

	var read organization
	env.State.GetInto("organizations", "org_1", &read)
	equal(t, read.ID+read.DisplayName, "org_1Globex")
	var all []organization
	env.State.ListInto("organizations", &all)
	equal(t, slices.ContainsFunc(all, func(each organization) bool { return each.ID == "org_1" }), true)
	env.State.Delete("organizations", "org_1")
	equal(t, env.State.Hash(), before)
	env.State.Replace(map[string]any{"include": []string{"empty"}})
	equal(t, len(env.State.List("organizations")), 0)
}

func TestRowsComeFilteredSortedAndInPages(t *testing.T) {
	t.Parallel()
	env := Start(t, WithFixture("empty"))
	for index, name := range []string{"Zebra", "Ant", "Mole"} {
		row := organization{DisplayName: name, Region: "US", Metadata: map[string]any{}, CreateTime: "now", UpdateTime: "now"}
		env.State.Put("organizations", fmt.Sprintf("org_%d", index+1), row)
	}
	ids := func(options ...ListOption) (ids string) {
		for _, row := range env.State.List("organizations", options...) {
			ids += row["id"].(string) + " "
		}
		return ids
	}

	equal(t, ids(Limit(1), Offset(1)), "org_2 ")
	equal(t, ids(SortedBy("display_name"), Reversed()), "org_1 org_3 org_2 ")
	equal(t, ids(Containing("mole us")), "org_3 ")
	equal(t, ids(Where(Row{"id": "org_2"})), "org_2 ")
}

func TestAResetCanBeOfParts(t *testing.T) {
	t.Parallel()
	env := Start(t)
	env.State.Patch("organizations", acme, Row{"display_name": "Acme AG"})
	env.Clock.Advance(time.Hour)

	env.Reset("clock")
	equal(t, env.Clock.Get().Mode, "real")
	equal(t, env.State.Get("organizations", acme)["display_name"], any("Acme AG"))
	env.Reset()
	if env.State.Get("organizations", acme)["display_name"] == "Acme AG" {
		t.Error("the row is not reset")
	}
}

func TestASavePointCanBeRestored(t *testing.T) {
	t.Parallel()
	env := Start(t)
	equal(t, env.Snapshots.Take("start").Name, "start")
	env.State.Delete("organizations", acme)

	env.Snapshots.Restore("start")

	equal(t, env.State.Get("organizations", acme)["id"], any(acme))
	equal(t, len(env.Snapshots.List()), 1)
	env.Snapshots.Delete("start")
	equal(t, len(env.Snapshots.List()), 0)
}
