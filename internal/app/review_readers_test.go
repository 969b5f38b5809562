package app_test

import (
	"slices"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review"
)

// TestCandidatesNameOnlyWhatTheirReaderSees requires that a candidate shows a reader no memory and no other candidate
// that is hidden from them, in whichever field it stands, and that its owner sees all.
func TestCandidatesNameOnlyWhatTheirReaderSees(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	list := d.reflect(d.claude, review.Notes{Content: "idea: one\nidea: two\n", Persist: true, PersistReview: true,
		Project: d.project.String()}).Candidates
	id, hidden := list[0].ID, list[1].ID
	d.change(hidden, func(c *loci.Candidate) { c.Reach, c.ProjectID = loci.ReachPrivate, loci.ProjectID{} })
	shared := d.add(d.mara, memory.Draft{Title: "shared", Content: "s", Scope: loci.ScopeProject, ProjectID: d.project})
	own := d.add(d.mara, memory.Draft{Title: "own", Content: "o", AllowedVendors: []loci.Vendor{"claude"}})
	gone := d.add(d.mara, memory.Draft{Title: "gone", Content: "g"})
	d.add(d.mara, memory.Draft{Title: "newer", Content: "n", Supersedes: []loci.MemoryID{gone.ID}})
	of := func(m *loci.Memory) loci.ReflectionFinding {
		return loci.ReflectionFinding{Kind: loci.FindingContradiction, Target: m.ID.String(), TargetType: "memory"}
	}
	d.change(id, func(c *loci.Candidate) {
		c.State, c.MemoryID, c.Existing = loci.ReviewPromoted, own.ID, true
		c.Findings = []loci.ReflectionFinding{of(shared), of(own),
			{Kind: loci.FindingContradiction, Target: d.entity.String(), TargetType: "entity"}}
		c.Superseded = []loci.MemoryID{shared.ID, own.ID, gone.ID}
		c.Claims = []loci.ClaimRecord{{ID: "c1", Contradicts: []string{shared.ID.String()}, Validity: "contested"},
			{ID: "c2", Contradicts: []string{own.ID.String()}, Supersedes: []string{own.ID.String()}, Validity: "contested"}}
		c.Merged, c.MergedInto = []loci.CandidateID{hidden}, hidden
		c.Exceptions, c.Attempts = []string{"low confidence"}, 1
	})
	type seen struct {
		findings, replaced int
		memory, other      bool
		contested          int
		work               bool
	}
	for name, tt := range map[string]struct {
		who  loci.Principal
		want seen
	}{
		"mara":                {d.mara, seen{3, 3, true, true, 2, true}},
		"the agent it is of":  {d.claude, seen{3, 2, true, true, 2, true}}, // what was superseded is for people
		"a member":            {d.tom, seen{1, 1, false, false, 1, false}},
		"mara's other vendor": {d.cursor, seen{1, 1, false, true, 1, false}},
	} {
		c := d.waiting(tt.who, id)
		got := seen{len(c.Findings), len(c.Superseded), !c.MemoryID.IsZero(), !c.MergedInto.IsZero(), 0,
			len(c.Exceptions) > 0}
		for _, claim := range c.Claims {
			if claim.Validity == "contested" && len(claim.Contradicts) == 1 {
				got.contested++
			}
		}
		if got != tt.want || len(c.Replaced) != got.replaced || c.Existing != got.memory ||
			slices.Contains(c.Merged, hidden) != got.other {
			t.Errorf("%s sees %+v, %v, %v; want %+v", name, got, c.Replaced, c.Merged, tt.want)
		}
		page, err := d.Review.List(t.Context(), tt.who, review.ListRequest{})
		d.must(err)
		at := slices.IndexFunc(page.Items, func(o *loci.Candidate) bool { return o.ID == id })
		if at < 0 || len(page.Items[at].Superseded) != tt.want.replaced {
			t.Errorf("%s lists %+v", name, page.Items)
		}
	}
}

// TestCandidatesAreOfTheProjectOfTheirNotes requires the project that the notes name, not that of the session in which
// they are written, and a memory for its project only if the session is not private.
func TestCandidatesAreOfTheProjectOfTheirNotes(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	elsewhere := d.stage.project(d.mara, "elsewhere", true).ID
	claude := d.stage.key(d.again(d.mara), auth.KeyRequest{Vendor: "claude"})
	for reach, want := range map[loci.Reach]loci.Scope{loci.ReachOrg: loci.ScopeProject,
		loci.ReachPrivate: loci.ScopeGlobal} {
		in, err := d.who.InSession(ctx, claude, d.open(claude, loci.NewSession{ProjectID: d.project, Reach: reach}).ID)
		d.must(err)
		for named, project := range map[string]loci.ProjectID{"": d.project, elsewhere.String(): elsewhere} {
			c := d.reflect(in, review.Notes{Content: "idea: of " + string(reach) + named, Project: named}).Candidates[0]
			if c.ProjectID != project || named != "" && c.SuggestedScope != want {
				t.Errorf("%s, %q: got one of %s for the scope %s", reach, named, c.ProjectID, c.SuggestedScope)
			}
		}
	}
}
