package app_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// TestWhatAnUnseenMemoryReplacedIsLive lets a colleague replace a person's shared fact, and then takes the new text
// away from them. Their own text must be there again.
func TestWhatAnUnseenMemoryReplacedIsLive(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(*company, loci.MemoryID) error{
		"unshared": func(c *company, id loci.MemoryID) error { return second(c.Memory.Unshare(c.t.Context(), c.tom, id)) },
		"left":     func(c *company, _ loci.MemoryID) error { return c.Org.LeaveTeam(c.t.Context(), c.tom, c.team) },
		"removed": func(c *company, _ loci.MemoryID) error {
			return c.Org.RemoveFromTeam(c.t.Context(), c.mara, c.team, c.tom.UserID)
		},
		"deleted": func(c *company, _ loci.MemoryID) error {
			return c.Identity.DeleteUser(c.t.Context(), c.operator, c.tom.UserID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCompany(t)
			old := c.add(c.mara, memory.Draft{Title: "router", Content: "The router is in the hall", Share: true})
			own := c.add(c.tom, memory.Draft{Title: "lamp", Content: "The lamp is in the hall"})
			m := c.add(c.tom, memory.Draft{Title: "router now", Content: "The router is in the kitchen", Share: true,
				Supersedes: []loci.MemoryID{old.ID, own.ID}})
			pending, err := c.Memory.Suggestions(t.Context(), c.mara, memory.SuggestionsRequest{Limit: 50})
			c.must(err)
			for _, s := range pending.Items {
				if s.MemoryID == old.ID {
					c.must(second(c.Memory.AcceptSuggestion(t.Context(), c.mara, s.ID, false)))
				}
			}
			if _, err := c.Memory.Get(t.Context(), c.mara, old.ID); loci.CodeOf(err) != loci.NotFound {
				t.Fatalf("not replaced: %v", err)
			}
			c.must(take(c, m.ID))
			got, err := c.Memory.Get(t.Context(), c.mara, old.ID)
			c.must(err)
			if !got.SupersededBy.IsZero() || got.Content != old.Content {
				t.Errorf("got %+v", got)
			}
			if name != "deleted" {
				_, err = c.Memory.Get(t.Context(), c.tom, own.ID)
				wantCode(t, err, loci.NotFound) // its owner still sees what replaced it
			}
		})
	}
}
