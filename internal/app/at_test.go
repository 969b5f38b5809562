package app_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// chronicle is an org in which every state of every memory is written down beside
// the store, from what each call answered.
type chronicle struct {
	*stage
	rt     *rapid.T
	people map[string]loci.Principal
	agent  loci.AgentID
	states map[loci.MemoryID][]*loci.Memory
	begun  time.Time
	made   int
}

var chronicles, hidings, refusals, overs int

// newChronicle settles mara, who owns a team and a project that tom is in too, a
// colleague who is in neither, and assistants of mara's.
func newChronicle(rt *rapid.T, s *stage) *chronicle {
	chronicles++
	name := fmt.Sprint("c", chronicles)
	ctx := s.t.Context()
	boss, _ := s.org(loci.OrgID(name), name+"@boss.example")
	mara, tom, ines := s.user(boss, name+"@mara.example", loci.Member), s.user(boss, name+"@tom.example", loci.Member),
		s.user(boss, name+"@ines.example", loci.Member)
	team, err := s.Org.CreateTeam(ctx, s.session(mara), "Team "+name)
	s.must(err)
	made, err := s.Org.InviteToTeam(ctx, s.session(mara), team.ID, []string{tom.Email}, loci.Member)
	s.must(err)
	_, err = s.Org.AcceptInvite(ctx, s.session(tom), made[0].Token)
	s.must(err)
	project := s.project(s.session(mara), "project "+name, false).ID
	s.must(s.Project.PutMember(ctx, s.session(mara), project, loci.ProjectMember{UserID: tom.ID, Role: loci.Member}))
	c := &chronicle{stage: s, rt: rt, states: map[loci.MemoryID][]*loci.Memory{}}
	robot, err := s.Agent.Create(ctx, s.session(mara), agent.Draft{Vendor: "claude", Name: "robot"})
	s.must(err)
	c.agent = robot.ID
	work, err := s.Agent.CreateSession(ctx, s.session(mara), agent.SessionDraft{Agent: robot.ID.String()})
	s.must(err)
	claude := s.key(s.session(mara), auth.KeyRequest{Vendor: "claude"})
	working, err := s.who.InSession(ctx, claude, work.ID)
	s.must(err)
	c.people = map[string]loci.Principal{"mara": s.session(mara), "tom": s.session(tom), "ines": s.session(ines),
		"claude": claude, "working": working,
		"cursor":  s.key(s.session(mara), auth.KeyRequest{Vendor: "cursor"}),
		"project": s.key(s.session(mara), auth.KeyRequest{ProjectIDs: []loci.ProjectID{project}})}
	c.begun = s.now
	return c
}

// somebody is more often mara or hers than not.
func (c *chronicle) somebody(label string) (string, loci.Principal) {
	name := rapid.SampledFrom([]string{"mara", "mara", "mara", "tom", "claude", "working", "cursor", "project",
		"ines"}).Draw(c.rt, label)
	return name, c.people[name]
}

// one is any memory, oneOf mostly one that p sees.
func (c *chronicle) one() loci.MemoryID {
	return rapid.SampledFrom(c.inOrder(maps.Keys(c.states))).Draw(c.rt, "which")
}

func (c *chronicle) oneOf(p loci.Principal) loci.MemoryID {
	seen := c.inOrder(maps.Keys(c.seen(p.Viewer(), loci.When{})))
	if len(seen) == 0 || rapid.IntRange(0, 4).Draw(c.rt, "any") == 0 {
		return c.one()
	}
	return rapid.SampledFrom(seen).Draw(c.rt, "which of theirs")
}

// inOrder makes draws repeatable: ids are random.
func (c *chronicle) inOrder(ids iter.Seq[loci.MemoryID]) []loci.MemoryID {
	return slices.SortedFunc(ids,
		func(x, y loci.MemoryID) int { return c.states[x][0].CreatedAt.Compare(c.states[y][0].CreatedAt) })
}

func (c *chronicle) now30() time.Time { return c.now.Truncate(time.Minute).Add(30 * time.Second) }

// moment is zero or within some minutes of now, never within a second of a full minute, at
// about which the clock stands.
func (c *chronicle) moment(label string, from, to int) time.Time {
	if rapid.IntRange(0, 3).Draw(c.rt, label+" at all") > 0 {
		return time.Time{}
	}
	return c.now30().Add(time.Duration(rapid.IntRange(from, to).Draw(c.rt, label)) * time.Minute)
}

func (c *chronicle) vendors() []loci.Vendor {
	return rapid.SampledFrom([][]loci.Vendor{{"*"}, {"*"}, {"claude"}, {"cursor"}, {"claude", "cursor"}}).Draw(c.rt,
		"vendors")
}

// keep writes down what a call answered, or nothing if it refused. An answer lacks the id of a superseding
// memory that the caller does not see.
func (c *chronicle) keep(m *loci.Memory, err error) {
	switch loci.CodeOf(err) {
	case "":
		last := c.states[m.ID]
		if len(last) == 0 || last[len(last)-1].Version != m.Version {
			kept := m.Clone()
			kept.SupersededBy = c.stored(m).SupersededBy
			c.states[m.ID] = append(last, kept)
		}
	case loci.Forbidden, loci.NotFound, loci.Invalid, loci.Conflict:
		refusals++
	default:
		c.rt.Fatal(err)
	}
}

// hide writes down what a save does to a memory in whose place it comes.
func (c *chronicle) hide(id loci.MemoryID, by *loci.Memory, correct bool, at time.Time) {
	hidings++
	all := c.states[id]
	m := all[len(all)-1].Clone()
	end := by.ValidFrom
	if end.IsZero() {
		end = at
	}
	switch {
	case correct && m.ValidFrom.IsZero():
		end = m.CreatedAt
	case correct:
		end = m.ValidFrom
	case !m.ValidTo.IsZero() && m.ValidTo.Before(end):
		end = m.ValidTo
	case end.Before(m.ValidFrom):
		end = m.ValidFrom
	}
	m.SupersededBy, m.ValidTo = by.ID, end
	if both := loci.Narrowed(m.AllowedVendors, by.AllowedVendors); len(both) > 0 {
		m.AllowedVendors = both
	}
	stored := c.stored(m)
	m.State, m.UpdatedAt = stored.State, stored.UpdatedAt // who did it, and the very microsecond, which no answer tells
	if diff := cmp.Diff(m, stored); diff != "" {
		c.rt.Fatalf("superseding left something else (-want +got):\n%s", diff)
	}
	c.states[id] = append(all, m)
}

// stored reads a row past the use cases, as its owner.
func (c *chronicle) stored(m *loci.Memory) (out *loci.Memory) {
	v := loci.Viewer{OrgID: m.OrgID, UserID: m.UserID, AgentID: m.AgentID}
	c.must(c.st.View(c.t.Context(), m.OrgID, func(tx store.Tx) (err error) {
		out, err = tx.Memories().Get(c.t.Context(), v, m.ID, loci.AnyState)
		return err
	}))
	return out
}

func (c *chronicle) create(p loci.Principal) {
	c.made++
	d := memory.Draft{Title: fmt.Sprint("n", c.made), Content: fmt.Sprint("common ground ", c.made),
		AllowedVendors: c.vendors(), Importance: rapid.IntRange(1, 10).Draw(c.rt, "importance"),
		ExpiresAt: c.moment("expires", 0, 5), ValidFrom: c.moment("valid from", -6, 2)}
	if to := c.moment("valid to", -1, 6); to.After(d.ValidFrom) {
		d.ValidTo = to
	}
	switch scope := rapid.SampledFrom(
		[]loci.Scope{loci.ScopeGlobal, loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent}).Draw(c.rt, "scope"); {
	case scope == loci.ScopeProject && len(p.ProjectIDs) > 0:
		d.Scope, d.ProjectID = scope, p.ProjectIDs[0]
	case scope == loci.ScopeAgent && !p.AgentID.IsZero():
		d.Scope, d.AgentID = scope, p.AgentID
	}
	correct := false
	if len(c.states) > 0 && rapid.IntRange(0, 2).Draw(c.rt, "in place of one") < 2 {
		if correct = rapid.Bool().Draw(c.rt, "corrects"); correct {
			d.Corrects = []loci.MemoryID{c.oneOf(p)}
		} else {
			d.Supersedes = []loci.MemoryID{c.oneOf(p)}
		}
	}
	saved, err := c.Memory.Create(c.t.Context(), p, d)
	if err != nil {
		c.keep(nil, err)
		return
	}
	c.keep(&saved.Memory, nil)
	for _, id := range saved.Superseded {
		c.hide(id, &saved.Memory, correct, saved.CreatedAt)
	}
	for _, s := range saved.Suggestions {
		c.settle(s, &saved.Memory)
	}
}

// settle has the owner of the memory decide at once, or not at all.
func (c *chronicle) settle(s loci.Suggestion, by *loci.Memory) {
	owner := c.people["mara"]
	if s.UserID == c.people["tom"].UserID {
		owner = c.people["tom"]
	}
	if rapid.Bool().Draw(c.rt, "decides") {
		return
	}
	settled, err := c.Memory.AcceptSuggestion(c.t.Context(), owner, s.ID, false)
	if err != nil {
		c.keep(nil, err)
		return
	}
	c.hide(s.MemoryID, by, s.Kind == loci.SuggestCorrect, settled.SettledAt)
}

func (c *chronicle) patch() (p memory.Patch) {
	switch rapid.SampledFrom([]string{"text", "text", "vendors", "life", "validity"}).Draw(c.rt, "of it") {
	case "text":
		c.made++
		p.Title, p.Content = loci.Set(fmt.Sprint("n", c.made)), loci.Set(fmt.Sprint("common ground ", c.made))
	case "vendors":
		p.AllowedVendors = loci.Set(c.vendors())
	case "life":
		p.ExpiresAt = loci.Set(c.moment("expires", 0, 5))
	case "validity":
		p.ValidFrom, p.ValidTo = loci.Set(c.moment("valid from", -6, -1)), loci.Set(c.moment("valid to", 0, 6))
	}
	return p
}

// step does one thing, by somebody, of whom it may be refused.
func (c *chronicle) step() {
	c.now = c.now.Add(time.Duration(rapid.IntRange(0, 3).Draw(c.rt, "minutes")) * time.Minute)
	_, p := c.somebody("who")
	what := rapid.SampledFrom([]string{"create", "create", "create", "patch", "patch", "patch", "trash", "restore",
		"share", "share", "unshare", "erase"}).Draw(c.rt, "what")
	if len(c.states) == 0 || what == "create" {
		c.create(p)
		return
	}
	ctx, id := c.t.Context(), c.oneOf(p)
	switch what {
	case "patch":
		c.keep(c.Memory.Patch(ctx, p, id, 0, c.patch()))
	case "trash":
		if gone, err := c.Memory.Trash(ctx, p, id, 0); err != nil {
			c.keep(nil, err)
		} else {
			c.keep(&gone.Memory, nil)
		}
	case "restore":
		c.keep(c.Memory.Restore(ctx, p, id, 0))
	case "share":
		c.keep(c.Memory.Share(ctx, p, id))
	case "unshare":
		c.keep(c.Memory.Unshare(ctx, p, id))
	case "erase":
		if err := c.Memory.Erase(ctx, p, id, 0); err == nil {
			delete(c.states, id)
		}
	}
}

// when is the present, or a time at or about which something happened.
func (c *chronicle) when() loci.When {
	some := func(label string) time.Time {
		switch rapid.IntRange(0, 2).Draw(c.rt, label) {
		case 0:
			return time.Time{}
		case 1:
			minutes := rapid.IntRange(-1, int(c.now.Sub(c.begun)/time.Minute)).Draw(c.rt, label+" minutes")
			return c.begun.Add(time.Duration(minutes) * time.Minute)
		}
		if len(c.states) == 0 {
			return c.begun
		}
		s := rapid.SampledFrom(c.states[c.one()]).Draw(c.rt, label+" of")
		return s.UpdatedAt.Add(rapid.SampledFrom([]time.Duration{-time.Microsecond, 0, time.Microsecond}).Draw(c.rt,
			label+" and"))
	}
	if rapid.IntRange(0, 3).Draw(c.rt, "the present") == 0 {
		return loci.When{}
	}
	w := loci.When{AsOf: some("as of"), KnownAt: some("known at"), Superseded: rapid.Bool().Draw(c.rt, "superseded too")}
	if w.KnownAt.After(c.now) {
		w.KnownAt = time.Time{}
	}
	return w
}

// seen replays what was done and returns what the rule admits.
func (c *chronicle) seen(v loci.Viewer, w loci.When) map[loci.MemoryID]*loci.Memory {
	out := map[loci.MemoryID]*loci.Memory{}
	for id, all := range c.states {
		var then *loci.Memory
		for _, m := range all {
			if w.KnownAt.IsZero() || !m.UpdatedAt.After(w.KnownAt) {
				then = m
			}
		}
		if then != nil && v.SeesAt(then, all[len(all)-1], w, c.now) {
			out[id] = c.named(v, then)
		}
	}
	return out
}

// told returns what of seen a search, recall, prompt or briefing has.
func (c *chronicle) told(v loci.Viewer, w loci.When) map[loci.MemoryID]*loci.Memory {
	out := c.seen(v, w)
	maps.DeleteFunc(out, func(_ loci.MemoryID, m *loci.Memory) bool {
		over := w.IsZero() && !v.SeesMemory(m, loci.CurrentOnly, c.now)
		if over {
			overs++
		}
		return over
	})
	return out
}

// named takes out of a memory whatever superseded it, unless v sees that in some state.
func (c *chronicle) named(v loci.Viewer, m *loci.Memory) *loci.Memory {
	by := c.states[m.SupersededBy]
	if m.SupersededBy.IsZero() || len(by) > 0 && v.Sees(&by[len(by)-1].Access, loci.AnyState, c.now) {
		return m
	}
	m = m.Clone()
	m.SupersededBy = loci.MemoryID{}
	return m
}

// reading is one way to read memories at another time.
type reading struct {
	name string
	told bool // what is read for a model, which is valid now
	read func(c *chronicle, p loci.Principal, w loci.When) []*loci.Memory
}

var readings = []reading{
	{"get", false, func(c *chronicle, p loci.Principal, w loci.When) (all []*loci.Memory) {
		for id := range c.states {
			m, err := c.Memory.GetAt(c.t.Context(), p, id, w)
			// The present shows people their trash, and what of theirs has expired.
			if err == nil && w.IsZero() && p.Vendor == "" && m.UserID == p.UserID && (!m.DeletedAt.IsZero() || !m.Live(c.now)) {
				continue
			}
			if err == nil {
				all = append(all, m)
			} else if err != nil && loci.CodeOf(err) != loci.NotFound {
				c.rt.Fatal(err)
			}
		}
		return all
	}},
	{"by ids", false, func(c *chronicle, p loci.Principal, w loci.When) []*loci.Memory {
		all, err := c.Memory.ByIDs(c.t.Context(), p, append(slices.Collect(maps.Keys(c.states)), loci.NewMemoryID()), w)
		if err != nil {
			c.rt.Fatal(err)
		}
		return all
	}},
	{"list", false, func(c *chronicle, p loci.Principal, w loci.When) []*loci.Memory {
		return c.listed(p, w, func(r memory.ListRequest) (memory.ListPage,
			error) {
			return c.Memory.List(c.t.Context(), p, r)
		})
	}},
	{"search", true, func(c *chronicle, p loci.Principal, w loci.When) []*loci.Memory {
		return c.searched(p, w, "ground", "")
	}},
	{"search, beginnings", true, func(c *chronicle, p loci.Principal, w loci.When) []*loci.Memory {
		return c.searched(p, w, "grou", "prefix")
	}},
	{"search, parts", true, func(c *chronicle, p loci.Principal, w loci.When) []*loci.Memory {
		return c.searched(p, w, "ROUN", "substring")
	}},
	{"recall", true, func(c *chronicle, p loci.Principal, w loci.When) []*loci.Memory { return c.recalled(p, w) }},
	{"ask", true, func(c *chronicle, p loci.Principal, w loci.When) []*loci.Memory {
		a, err := c.Memory.Query(c.t.Context(), p,
			memory.QueryRequest{Filter: memory.Filter{When: w}, Query: "common", Limit: memory.MaxQuery})
		if err != nil {
			c.rt.Fatal(err)
		}
		return a.Used
	}},
	{"ask about ids", true, func(c *chronicle, p loci.Principal, w loci.When) []*loci.Memory {
		a, err := c.Memory.Query(c.t.Context(), p,
			memory.QueryRequest{Filter: memory.Filter{When: w}, IDs: slices.Collect(maps.Keys(c.states)), Query: "x",
				Limit: memory.MaxQuery})
		if err != nil {
			c.rt.Fatal(err)
		}
		return a.Used
	}},
}

// ofRows compares what rows say. Disagreement is of the present only, and has a test of its own with hidden rows.
var ofRows = cmpopts.IgnoreTypes(loci.Disagreement{})

func TestOtherTimesEqualAReplay(t *testing.T) {
	drawFewer(t, 12)
	s := newStage(t, loci.DeleteWithKey)
	compared, found := 0, 0
	check := func(rt *rapid.T) {
		c := newChronicle(rt, s)
		for range 12 + rapid.IntRange(0, 20).Draw(rt, "steps") {
			c.step()
		}
		for i := range 8 {
			name, p := c.somebody("reader")
			w := c.when()
			if i < 2 {
				w = loci.When{} // the present, where what is not valid is left out
			}
			for _, r := range readings {
				compared++
				want := c.seen(p.Viewer(), w)
				if r.told {
					want = c.told(p.Viewer(), w)
				}
				got := keyed(r.read(c, p, w)...)
				found += len(got)
				if diff := cmp.Diff(want, got, ofRows); diff != "" {
					rt.Fatalf("%s by %s at %+v (-want +got):\n%s", r.name, name, w, diff)
				}
			}
			c.compareRest(name, p, w)
		}
	}
	for range 6 { // most times, the first draws have every case
		if rapid.Check(t, check); hidings > 0 && overs > 0 {
			break
		}
	}
	if hidings == 0 || overs == 0 || found < compared/10 {
		t.Errorf("%d answers held only %d memories; %d were superseded, %d not valid", compared, found, hidings, overs)
	}
	t.Logf("%d answers held %d memories; %d superseded, %d not valid, %d refused", compared, found, hidings, overs,
		refusals)
}

// compareRest reads where an answer is not all that is to be seen.
func (c *chronicle) compareRest(name string, p loci.Principal, w loci.When) {
	ctx, want := c.t.Context(), c.seen(p.Viewer(), w)
	all := slices.SortedFunc(maps.Values(want),
		func(x, y *loci.Memory) int { return c.states[y.ID][0].CreatedAt.Compare(c.states[x.ID][0].CreatedAt) })
	latest, err := c.Memory.Latest(ctx, p, memory.Filter{When: w})
	if len(all) == 0 && loci.CodeOf(err) != loci.NotFound ||
		len(all) > 0 && (err != nil || !cmp.Equal(latest, all[0], ofRows)) {
		c.rt.Fatalf("latest by %s at %+v: %v %+v", name, w, err, latest)
	}
	if !p.OnlyProjects {
		b, err := c.Memory.Briefing(ctx, p, w)
		told := c.told(p.Viewer(), w)
		all := slices.DeleteFunc(slices.Clone(all), func(m *loci.Memory) bool { return told[m.ID] == nil })
		if err != nil || b.Total != len(all) || !cmp.Equal(b.Recent, loci.Summaries(all[:min(10, len(all))]), ofRows) {
			c.rt.Fatalf("briefing by %s at %+v: %v %s", name, w, err, cmp.Diff(loci.Summaries(all), b.Recent))
		}
	}
	if p.TeamID.IsZero() || p.OnlyProjects {
		return
	}
	pool := slices.DeleteFunc(all, func(m *loci.Memory) bool { return m.TeamID != p.TeamID })
	got := c.listed(p, w, func(r memory.ListRequest) (memory.ListPage, error) { return c.Memory.TeamMemories(ctx, p, r) })
	if a, b := asJSON(c, pool), asJSON(c, got); a != b {
		c.rt.Fatalf("the pool by %s at %+v: %s, want %s", name, w, b, a)
	}
}

func asJSON(c *chronicle, memories []*loci.Memory) string {
	list := []*loci.Memory{}
	for _, m := range memories {
		m = m.Clone()
		m.Disagreement = loci.Disagreement{}
		list = append(list, m)
	}
	b, err := json.Marshal(list)
	c.must(err)
	return string(b)
}
