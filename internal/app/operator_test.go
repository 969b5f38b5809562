package app_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
)

// TestTheOperatorOutranksWhomTheyActFor requires that the operator, acting for a plain member, does what an owner
// does.
func TestTheOperatorOutranksWhomTheyActFor(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	asTom, err := c.who.LocalAs(ctx, "acme", c.tom.UserID)
	c.must(err)
	asInes, err := c.who.LocalAs(ctx, "acme", c.ines.UserID)
	c.must(err)
	readers := map[string]loci.Principal{"the operator": asInes, "a member": c.mara, "of another team": c.ines,
		"an owner of the org": c.owner}
	feeds := map[string]*memory.Changes{}
	for name, p := range readers {
		feeds[name], err = c.Memory.Changes(ctx, p, "", string(loci.FeedTeam))
		c.must(err)
	}
	raised := org.MemberChange{Role: new(loci.MemberOwner)}
	for what, err := range map[string]error{
		"invites an owner":      second(c.Org.InviteToOrg(ctx, asTom, []string{"a@acme.example"}, loci.MemberOwner)),
		"names an owner":        second(c.Org.SetMember(ctx, asTom, c.mara.UserID, raised)),
		"changes a project":     second(c.Project.Change(ctx, asTom, c.project, project.Patch{Description: new("d")})),
		"deletes a project":     c.Project.Delete(ctx, asTom, c.project),
		"renames a team":        second(c.Org.RenameTeam(ctx, asTom, c.team, "Wolves")),
		"sets where events are": second(c.Org.Set(ctx, asTom, org.Settings{Events: new(loci.EventsEmbedded)})),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for name, p := range readers { // the feed is of what the list shows
		page, err := feeds[name].Read(ctx, p)
		if want := name != "of another team"; err != nil || (len(page.Events) > 0) != want {
			t.Errorf("%s follows the team by %+v, %v; want events: %t", name, page, err, want)
		}
	}
	if err := second(c.Org.SetMember(ctx, asTom, c.ines.UserID, org.MemberChange{Transfer: true})); err != nil {
		t.Errorf("transfers the org: %v", err)
	}
	if o, err := c.Org.Get(ctx, c.owner); err != nil || o.OwnerID != c.ines.UserID {
		t.Errorf("the org is held by %s, %v", o.OwnerID, err)
	}
	if err := second(c.Org.SetMember(ctx, asTom, c.tom.UserID, org.MemberChange{Disabled: new(true)})); err != nil {
		t.Errorf("disables the person they act for: %v", err)
	}
	refused(t, "an owner sets where events are", second(c.Org.Set(ctx, c.owner, org.Settings{
		Events: new(loci.EventsInArc)})), loci.Forbidden, "an operator of the server sets where events are")
}
