package app_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

// savedRow is what the model knows of a memory.
type savedRow struct {
	loci.Memory
	order int // in which it was stored or changed last
}

// savers is a model of the rules of a save, written anew from what the documents promise, beside the store.
type savers struct {
	*world
	rt       *rapid.T
	mark     string    // tells the draws apart in one store
	begun    time.Time // when this draw began
	who      []loci.Principal
	rows     []*savedRow
	open     []loci.Suggestion // pending
	steps    int
	project  loci.ProjectID
	outcomes map[string]int
}

func pick[T any](rt *rapid.T, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(rt, label)
}

// TestSavesFollowTheModel has people and assistants of two persons, who share a project, save under few keys at will,
// and compares every answer and all rows with the model.
func TestSavesFollowTheModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	friend := loci.User{ID: loci.NewUserID(), OrgID: w.owner.OrgID, Email: "x@y.example", Role: loci.RoleUser,
		OrgRole: loci.Member, CreatedAt: w.now}
	w.must(w.st.People().Add(t.Context(), friend, nil))
	project, err := w.Project.Create(t.Context(), w.owner, project.Draft{Name: "shared"})
	w.must(err)
	outcomes := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		s := &savers{world: w, rt: rt, mark: loci.NewMemoryID().String(), begun: w.now, project: project.ID,
			outcomes: outcomes}
		agent := loci.NewAgentID()
		for _, user := range []loci.UserID{w.owner.UserID, friend.ID} {
			for _, origin := range []string{"api", "claude", "cursor"} {
				p := loci.Principal{Kind: loci.KindUser, OrgID: w.owner.OrgID, UserID: user, Origin: origin,
					CredentialID: loci.NewCredentialID(), ProjectIDs: []loci.ProjectID{project.ID}}
				if origin != "api" {
					p.Kind, p.Vendor, p.AgentID = loci.KindAgent, loci.Vendor(origin), agent
				}
				s.who = append(s.who, p)
			}
		}
		for range rapid.IntRange(8, 24).Draw(rt, "steps") {
			s.step()
			s.compare()
		}
	})
	for _, want := range []string{"created", "changed", "unchanged", "superseded", "suggested", "forbidden", "invalid",
		"accepted"} {
		if outcomes[want] == 0 {
			t.Errorf("%q never came out: %v", want, outcomes)
		}
	}
}

func (s *savers) step() {
	s.steps++
	switch pick(s.rt, "what", "save", "save", "save", "settle", "save", "settle", "later", "trash") {
	case "save":
		s.draw()
	case "later":
		s.now = s.now.Add(time.Hour)
	case "trash":
		if row := s.any(); row != nil && row.DeletedAt.IsZero() && row.Live(s.now) {
			p := s.local
			p.UserID, p.AgentID = row.UserID, row.AgentID
			got, err := s.Memory.Trash(s.t.Context(), p, row.ID, 0)
			s.fatal(err)
			row.Memory = got.Memory
		}
	case "settle":
		s.settle()
	}
}

func (s *savers) fatal(err error) {
	if err != nil {
		s.rt.Fatal(err)
	}
}

func (s *savers) any() *savedRow {
	if len(s.rows) == 0 {
		return nil
	}
	return s.rows[rapid.IntRange(0, len(s.rows)-1).Draw(s.rt, "row")]
}

// draw makes a save up and checks what comes of it.
func (s *savers) draw() {
	if len(s.rows) > 0 && rapid.IntRange(0, 4).Draw(s.rt, "again") == 0 {
		s.again()
		return
	}
	p := s.who[rapid.IntRange(0, len(s.who)-1).Draw(s.rt, "who")]
	d := memory.Draft{Key: s.mark + pick(s.rt, "key", "a", "b"), Content: pick(s.rt, "content", "one", "two", "three"),
		Dedupe: pick(s.rt, "dedupe", "", "", "", "", "", memory.DedupeCreate),
		Title:  pick(s.rt, "title", "", "A title"), Summary: pick(s.rt, "summary", nil, new(""), new("short")),
		Tags:   pick(s.rt, "tags", nil, []string{}, []string{"t"}),
		Pinned: pick(s.rt, "pinned", nil, new(true), new(false)),
		AllowedVendors: pick(s.rt, "vendors", nil, nil, nil, nil, []loci.Vendor{"*"}, []loci.Vendor{"claude"},
			[]loci.Vendor{"cursor"}, []loci.Vendor{"claude", "cursor"}),
		TTL:   pick(s.rt, "ttl", 0, 0, 0, 0, 0, 0, 30*time.Minute, 24*time.Hour),
		Scope: pick(s.rt, "scope", loci.ScopeProject, "", loci.ScopeProject)}
	if p.Vendor != "" && rapid.IntRange(0, 3).Draw(s.rt, "of the agent") == 3 {
		d.Scope = loci.ScopeAgent
	}
	if d.Scope == loci.ScopeProject {
		d.ProjectID = s.project
	}
	if rapid.IntRange(0, 2).Draw(s.rt, "supersedes") == 2 {
		d.Supersedes = s.drawn(p)
	}
	s.try(p, d)
}

// again has whoever wrote a row save the same under its key.
func (s *savers) again() {
	row := s.any()
	i := slices.IndexFunc(s.who, func(p loci.Principal) bool { return p.UserID == row.UserID && p.Origin == row.Origin })
	s.try(s.who[i], memory.Draft{Key: row.Key, Content: row.Content, Scope: row.Scope, ProjectID: row.ProjectID})
}

func (s *savers) try(p loci.Principal, d memory.Draft) {
	before := s.now
	got, err := s.Memory.Create(s.t.Context(), p, d)
	s.check(p, &d, before, got, err)
}

// drawn are ids to supersede: mostly of rows that p sees.
func (s *savers) drawn(p loci.Principal) (ids []loci.MemoryID) {
	for range 2 {
		id := loci.NewMemoryID()
		row := s.any()
		if row != nil && (p.Viewer().Sees(&row.Access, loci.LiveOnly, s.now) ||
			rapid.IntRange(0, 9).Draw(s.rt, "hidden too") == 0) {
			id = row.ID
		} else if rapid.IntRange(0, 9).Draw(s.rt, "made up") > 0 {
			continue
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// keyed returns the row that the save is to change.
func (s *savers) keyed(p loci.Principal, d *memory.Draft) (found *savedRow) {
	scope, agent := cmp.Or(d.Scope, loci.ScopeGlobal), loci.AgentID{}
	if scope == loci.ScopeAgent {
		agent = p.AgentID
	}
	for _, row := range s.rows {
		if d.Dedupe == memory.DedupeCreate || row.Key != d.Key || row.UserID != p.UserID || row.Scope != scope ||
			row.ProjectID != d.ProjectID || row.AgentID != agent {
			continue
		}
		switch {
		case p.Vendor != "" && row.Origin != p.Origin || !row.Live(s.now):
		case !p.Viewer().Sees(&row.Access, loci.LiveOnly, s.now):
			s.outcomes["hidden key"]++
		case found == nil || row.UpdatedAt.After(found.UpdatedAt) || row.UpdatedAt.Equal(found.UpdatedAt) &&
			row.order > found.order:
			found = row
		}
	}
	return found
}

// check demands the outcome that the rules give, and takes it into the model.
func (s *savers) check(p loci.Principal, d *memory.Draft, before time.Time, got *loci.Saved, err error) {
	s.rt.Helper()
	old := s.keyed(p, d)
	want := s.after(p, d, old, before)
	if code := s.refusal(p, d, old, want); code != "" {
		s.outcomes[string(code)]++
		if loci.CodeOf(err) != code {
			s.rt.Fatalf("%s saves %+v over %+v: %v, want %s", p.Origin, d, old, err, code)
		}
		return
	}
	s.fatal(err)
	switch {
	case old == nil:
		want.ID, want.CreatedAt, want.UpdatedAt = got.ID, got.CreatedAt, got.CreatedAt
		s.outcomes["created"]++
	case gocmp.Equal(&old.Memory, want):
		s.outcomes["unchanged"]++
	default:
		want.State = loci.State{Version: old.Version + 1, Change: loci.Updated, Editor: p.Origin, EditorID: p.UserID,
			EditorCredentialID: p.CredentialID}
		want.UpdatedAt = got.UpdatedAt
		s.outcomes["changed"]++
	}
	if old == nil != got.Created() || got.Unchanged != (old != nil && gocmp.Equal(&old.Memory, want)) ||
		!got.UpdatedAt.After(before) && !got.Unchanged {
		s.rt.Fatalf("created %v, unchanged %v, replaced %d of %+v", got.Created(), got.Unchanged, got.ReplacedVersion, old)
	}
	if diff := gocmp.Diff(want, &got.Memory); diff != "" {
		s.rt.Fatalf("%s saves %+v (-want +got):\n%s", p.Origin, d, diff)
	}
	if old == nil {
		old = &savedRow{}
		s.rows = append(s.rows, old)
	}
	old.Memory, old.order = *want, s.steps
	s.checkSuperseded(p, d, got)
}

// after is the memory as the save is to leave it, but for what only the store says.
func (s *savers) after(p loci.Principal, d *memory.Draft, old *savedRow, before time.Time) *loci.Memory {
	m := &loci.Memory{Title: d.Key, Key: d.Key,
		State: loci.State{Version: 1, Change: loci.Created, Editor: p.Origin, EditorID: p.UserID,
			EditorCredentialID: p.CredentialID}}
	m.OrgID, m.UserID, m.Origin, m.Scope, m.ProjectID = p.OrgID, p.UserID, p.Origin, d.Scope, d.ProjectID
	if d.Scope == loci.ScopeAgent {
		m.AgentID = p.AgentID
	}
	m.SetDefaults()
	if old != nil {
		m = old.Clone()
	}
	if d.AllowedVendors == nil {
		m.AllowedVendors = s.narrowed(p, d, m.AllowedVendors, old)
	}
	m.Content = d.Content
	if d.Title != "" {
		m.Title = d.Title
	}
	if d.Summary != nil {
		m.Summary = *d.Summary
	}
	if d.Pinned != nil {
		m.Pinned = *d.Pinned
	}
	if d.Tags != nil {
		m.Tags = d.Tags
	}
	if d.AllowedVendors != nil {
		m.AllowedVendors = d.AllowedVendors
	}
	if d.TTL != 0 {
		m.ExpiresAt = before.Add(time.Second + d.TTL) // the clock of the test goes on by a second when it is read
	}
	return m
}

// narrowed returns who may read what a save leaves, if it does not say it: of those who might, all who may read what it
// replaces, and the other memories with its key.
func (s *savers) narrowed(p loci.Principal, d *memory.Draft, vendors []loci.Vendor, self *savedRow) []loci.Vendor {
	scope, agent := cmp.Or(d.Scope, loci.ScopeGlobal), loci.AgentID{}
	if scope == loci.ScopeAgent {
		agent = p.AgentID
	}
	for _, row := range s.rows {
		sameKey := d.Dedupe != memory.DedupeCreate && row.Key == d.Key && row.UserID == p.UserID && row.Scope == scope &&
			row.ProjectID == d.ProjectID && row.AgentID == agent
		if row != self && (sameKey || slices.Contains(d.Supersedes, row.ID)) &&
			p.Viewer().Sees(&row.Access, loci.LiveOnly, s.now) {
			vendors = append([]loci.Vendor{}, loci.Narrowed(vendors, row.AllowedVendors)...)
		}
	}
	return vendors
}

// refusal returns why the save is to be refused, or "".
func (s *savers) refusal(p loci.Principal, d *memory.Draft, old *savedRow, want *loci.Memory) loci.Code {
	if len(want.AllowedVendors) == 0 {
		return loci.Invalid
	}
	if old != nil {
		wider := func(v loci.Vendor) bool { return !slices.Contains(old.AllowedVendors, v) }
		shorter := !want.ExpiresAt.IsZero() && (old.ExpiresAt.IsZero() || want.ExpiresAt.Before(old.ExpiresAt))
		if shorter || p.Vendor != "" && !slices.Contains(old.AllowedVendors, "*") &&
			slices.ContainsFunc(want.AllowedVendors, wider) {
			return loci.Forbidden
		}
	}
	for _, id := range d.Supersedes {
		if row := s.row(id); row == nil || row == old || !p.Viewer().Sees(&row.Access, loci.LiveOnly, s.now) {
			return loci.Invalid
		}
	}
	return ""
}

func (s *savers) row(id loci.MemoryID) *savedRow {
	if i := slices.IndexFunc(s.rows, func(r *savedRow) bool { return r.ID == id }); i >= 0 {
		return s.rows[i]
	}
	return nil
}

func (s *savers) checkSuperseded(p loci.Principal, d *memory.Draft, got *loci.Saved) {
	var hidden []loci.MemoryID
	var asked []loci.Suggestion
	for _, id := range d.Supersedes {
		row := s.row(id)
		if row.UserID == p.UserID && (p.Vendor == "" || row.Origin == p.Origin) {
			hidden = append(hidden, id)
			s.hide(row, got.ID, p)
			s.outcomes["superseded"]++
			continue
		}
		asked = append(asked, loci.Suggestion{Kind: loci.SuggestSupersede, MemoryID: id, ByID: got.ID, UserID: row.UserID,
			Origin: p.Origin, State: loci.SuggestionPending})
		s.outcomes["suggested"]++
	}
	if !slices.Equal(hidden, got.Superseded) || len(asked) != len(got.Suggestions) {
		s.rt.Fatalf("superseded %v, want %v; suggested %+v, want %+v", got.Superseded, hidden, got.Suggestions, asked)
	}
	for i, want := range asked {
		made := got.Suggestions[i]
		want.ID, want.CreatedAt, want.Origin = made.ID, made.CreatedAt, made.Origin // the same one may be pending of another
		if made != want {
			s.rt.Fatalf("suggested %+v, want %+v", made, want)
		}
		if !slices.Contains(s.open, made) {
			s.open = append(s.open, made)
		}
	}
}

// hide takes what superseding does to a row into the model.
func (s *savers) hide(row *savedRow, by loci.MemoryID, p loci.Principal) {
	now := s.stored(row.ID)
	if now.ValidTo.IsZero() || now.ValidTo.After(s.now) || now.UpdatedAt.Before(row.UpdatedAt) {
		s.rt.Fatalf("superseded: %+v", now)
	}
	row.AllowedVendors = admittedByBoth(row.AllowedVendors, s.stored(by).AllowedVendors)
	row.SupersededBy, row.ValidTo, row.UpdatedAt, row.order = by, now.ValidTo, now.UpdatedAt, s.steps
	row.State = loci.State{Version: row.Version + 1, Change: loci.Updated, Editor: p.Origin, EditorID: p.UserID,
		EditorCredentialID: p.CredentialID}
}

// admittedByBoth are the vendors of a superseded row: those that may also read the new one, unless
// that is none of them.
func admittedByBoth(old, by []loci.Vendor) (both []loci.Vendor) {
	for _, v := range []loci.Vendor{"*", "claude", "cursor", "chatgpt"} {
		admits := func(list []loci.Vendor) bool { return slices.Contains(list, "*") || slices.Contains(list, v) }
		if admits(old) && admits(by) && !slices.Contains(both, "*") {
			both = append(both, v)
		}
	}
	if len(both) == 0 {
		return old
	}
	return both
}

// settle has somebody accept a suggestion.
func (s *savers) settle() {
	if len(s.open) == 0 {
		return
	}
	i := rapid.IntRange(0, len(s.open)-1).Draw(s.rt, "suggestion")
	g, p := s.open[i], s.who[pick(s.rt, "who decides", 0, 3)]
	old, by := s.row(g.MemoryID), s.row(g.ByID)
	want := loci.Code("")
	sees := func(row *savedRow, l loci.Lifecycle) bool { return p.Viewer().Sees(&row.Access, l, s.now) }
	switch {
	case !sees(old, loci.AnyState) || !sees(by, loci.AnyState):
		want = loci.NotFound
	case g.UserID != p.UserID:
		want = loci.Forbidden
	case !sees(old, loci.LiveOnly) || !sees(by, loci.LiveOnly):
		want = loci.Conflict
	}
	got, err := s.Memory.AcceptSuggestion(s.t.Context(), p, g.ID, false)
	if loci.CodeOf(err) != want {
		s.rt.Fatalf("accepting %+v: %v, want %q", g, err, want)
	}
	if want != "" {
		s.outcomes[string(want)]++
		return
	}
	s.outcomes["accepted"]++
	s.hide(old, by.ID, p)
	if !old.ValidTo.Equal(got.SettledAt) {
		s.rt.Fatalf("true until %s, accepted at %s", old.ValidTo, got.SettledAt)
	}
	s.open = slices.Delete(s.open, i, i+1)
}

// stored reads a row as it is, past the rules.
func (s *savers) stored(id loci.MemoryID) (m *loci.Memory) {
	row := s.row(id)
	v := loci.Viewer{OrgID: s.owner.OrgID, UserID: row.UserID, AgentID: row.AgentID}
	s.fatal(s.st.View(s.t.Context(), s.owner.OrgID, func(tx store.Tx) (err error) {
		m, err = tx.Memories().Get(s.t.Context(), v, id, loci.AnyState)
		return err
	}))
	return m
}

// compare demands that the store has the rows of the model, and no others.
func (s *savers) compare() {
	for _, row := range s.rows {
		got := s.stored(row.ID)
		if diff := gocmp.Diff(&row.Memory, got); diff != "" {
			s.rt.Fatalf("a row differs (-model +store):\n%s", diff)
		}
	}
	n := 0
	for _, p := range s.who[:4:4] {
		if p.Vendor == "" {
			n += s.count(p)
		}
	}
	if n != len(s.rows) {
		s.rt.Fatalf("%d rows are stored, the model has %d", n, len(s.rows))
	}
}

// count returns how many rows of a person there are, in whatever state. It leaves out the rows of earlier draws, which
// grow in number.
func (s *savers) count(p loci.Principal) (n int) {
	v := p.Viewer()
	v.AgentID, v.ProjectIDs = s.who[1].AgentID, nil
	q := store.ListQuery{Filter: store.Filter{Lifecycle: loci.AnyState, From: loci.CutTime(s.begun)}, Limit: 500}
	for first := true; first || q.After != ""; first = false {
		s.fatal(s.st.View(s.t.Context(), s.owner.OrgID, func(tx store.Tx) error {
			page, err := tx.Lists().List(s.t.Context(), v, q)
			for _, m := range page.Memories {
				if len(m.Key) > len(s.mark) && m.Key[:len(s.mark)] == s.mark {
					n++
				}
			}
			q.After = page.Next
			return err
		}))
	}
	return n
}
