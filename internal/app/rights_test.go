package app_test

import (
	"slices"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
)

// TestKeysWithoutTheRightToGraphs requires that a reflection by such a key neither compares with the graph of its
// project nor says that it could not, and that an accept by it leaves the graph as it is, also to the dream-cycle.
func TestKeysWithoutTheRightToGraphs(t *testing.T) {
	t.Parallel()
	d := newRules(t)
	ctx := t.Context()
	key := d.stage.key(d.mara, auth.KeyRequest{Rights: []loci.Right{loci.RightRead, loci.RightWrite,
		loci.RightReflect}})
	d.must(second(d.Graph.CreateEntities(ctx, d.mara, d.project, nil, []loci.NewEntity{ent("Postgres", "database")})))
	before := d.entities()
	accepted := func(p loci.Principal, content string) *loci.Candidate {
		t.Helper()
		c := d.reflect(p, review.Notes{Content: content, Persist: true, PersistReview: true,
			Project: d.project.String()}).Candidates[0]
		named := slices.ContainsFunc(c.Relations, func(r loci.RelationshipRecord) bool { return r.Target == "Postgres" })
		if !named || len(c.Findings) != 0 {
			t.Errorf("the reflection tells of %+v, %+v", c.Relations, c.Findings)
		}
		got, err := d.Review.Accept(ctx, p, c.ID, review.Decision{})
		d.must(err)
		return got
	}
	d.st.entries = nil
	got := accepted(key, "We decided to use Postgres for the queue.")
	if refused := slices.ContainsFunc(d.st.entries, func(e loci.AuditEntry) bool { return !e.Allowed }); refused ||
		got.GraphPending || d.entities() != before {
		t.Errorf("the key wrote into the graph, or tried to: %+v, %+v", got, d.st.entries)
	}
	accepted(d.mara, "We decided to run Postgres on the small machine.")
	if n := d.entities(); n != before+1 {
		t.Errorf("an accept with the right left %d entities, before %d", n, before)
	}
}

// TestRightsBoundWhatOthersCallsReturn requires that memories need the right to read and addresses that to accounts,
// whatever call returns them.
func TestRightsBoundWhatOthersCallsReturn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	for _, tt := range []struct {
		right           loci.Right
		emails, visible bool
	}{{loci.RightGraph, false, false}, {loci.RightRead, false, true}, {loci.RightAccount, true, false}} {
		key := d.stage.key(d.mara, auth.KeyRequest{Rights: []loci.Right{loci.RightGraph, tt.right}})
		members, err := d.Project.Members(ctx, key, d.project)
		d.must(err)
		for _, m := range members {
			if (m.Email != "") != tt.emails {
				t.Errorf("with the right %s: a member %+v, want an address: %t", tt.right, m, tt.emails)
			}
		}
		list, err := d.Memory.Visible(ctx, key, []loci.MemoryID{d.memory.ID})
		if (err == nil) != tt.visible || (len(list) == 1) != tt.visible {
			t.Errorf("with the right %s: got %+v, %v; want the memory: %t", tt.right, list, err, tt.visible)
		}
	}
}

// TestNotesOfProjects requires of a project that is not there the error that fits the credential.
func TestNotesOfProjects(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	reflect := func(p loci.Principal) error {
		return second(d.Review.Reflect(t.Context(), p, review.Notes{Content: "idea: one\n", Project: "nowhere"}))
	}
	refused(t, "a person", reflect(d.mara), loci.Invalid, "project must be a project that you belong to")
	refused(t, "a key of projects", reflect(d.limited), loci.Forbidden, "memory_space_denied")
}

// TestConnectionsContinueForTheirCredential requires that no other caller continues an MCP connection, not even with
// another credential of the same person.
func TestConnectionsContinueForTheirCredential(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	key := project.ConnectionKey{1}
	d.must(d.Project.OpenConnection(ctx, d.claude, key, []byte("state")))
	if state, err := d.Project.ContinueConnection(ctx, d.claude, key); err != nil || string(state) != "state" {
		t.Errorf("got %q, %v", state, err)
	}
	for name, p := range map[string]loci.Principal{"another credential": d.cursor, "the person": d.mara, "tom": d.tom} {
		state, err := d.Project.ContinueConnection(ctx, p, key)
		if loci.CodeOf(err) != loci.NotFound || len(state) > 0 {
			t.Errorf("%s: got %q, %v", name, state, err)
		}
	}
}

// TestReceiptsNameWhoAsked requires that a run of the dream-cycle names the person, or the operator.
func TestReceiptsNameWhoAsked(t *testing.T) {
	t.Parallel()
	d := newDreams(t)
	for want, p := range map[string]loci.Principal{d.owner.UserID.String(): d.owner, "operator": d.operator} {
		r, err := d.Review.Dream(t.Context(), p, review.DreamRequest{DryRun: true})
		if err != nil || r.RequestedBy != want {
			t.Errorf("got %+v, %v; want a receipt for %s", r, err, want)
		}
	}
}

// TestAMemoryStaysOnlyForAnotherOfItsOwner requires that the undo of an accept takes the memory back, unless another
// candidate of the same person was promoted onto it.
func TestAMemoryStaysOnlyForAnotherOfItsOwner(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	for name, tt := range map[string]struct {
		who   loci.Principal
		stays bool
	}{"of the same person": {d.mara, true}, "of another person": {d.tom, false}} {
		notes := review.Notes{Content: "idea: " + name + "\n", Persist: true, PersistReview: true,
			Project: d.project.String()}
		c, err := d.Review.Accept(ctx, d.mara, d.reflect(d.mara, notes).Candidates[0].ID, review.Decision{})
		d.must(err)
		notes.Content = "idea: another one " + name + "\n"
		d.change(d.reflect(tt.who, notes).Candidates[0].ID, func(o *loci.Candidate) {
			o.State, o.MemoryID, o.Existing = loci.ReviewPromoted, c.MemoryID, true
		})
		d.must(second(d.Review.Undo(ctx, d.mara, c.ID, review.Decision{})))
		if _, err := d.Memory.GetAt(ctx, d.mara, c.MemoryID, loci.When{}); err != nil {
			t.Error(err)
		}
		m, err := d.Memory.Get(ctx, d.mara, c.MemoryID)
		if err != nil || m.DeletedAt.IsZero() != tt.stays {
			t.Errorf("with another candidate %s: got %+v, %v; want that it stays: %t", name, m, err, tt.stays)
		}
	}
}

// entities counts the entities of the project.
func (d *desk) entities() int {
	d.t.Helper()
	page, err := d.Graph.Read(d.t.Context(), d.mara, d.project, graph.ListRequest{})
	d.must(err)
	return len(page.Entities)
}
