package storetest

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// told is what v learns after a position, as "kind change", and the position after it. Of the kinds in all, v may list
// every row.
func (e *env) told(v loci.Viewer, at store.Position, kinds, all []loci.FeedKind) (got []string, next store.Position) {
	e.Helper()
	err := e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		for more := true; more; {
			page, err := tx.Feed().After(e.Context(), v, store.FeedQuery{After: at, Limit: 100, Kinds: kinds, All: all})
			if err != nil {
				return err
			}
			for _, row := range page.Events {
				got = append(got, string(row.Kind)+" "+string(row.Change))
			}
			at, more = page.Next, page.More
		}
		return nil
	})
	if err != nil {
		e.Fatal(explain(err))
	}
	return got, at
}

// wantTold demands that v is told of these changes, of all kinds.
func (e *env) wantTold(what string, v loci.Viewer, at store.Position, all []loci.FeedKind, want ...string) {
	e.Helper()
	if got, _ := e.told(v, at, loci.FeedKinds(), all); !slices.Equal(got, want) {
		e.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// Sessions, candidates, tasks and suggestions are told of to those who see them, on either side of a change.
func testFeedOfWork(e *env) {
	team := e.addTeam("team").ID
	mine := e.person()
	mine.ProjectIDs = []loci.ProjectID{loci.NewProjectID()}
	mate := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID, TeamID: team}
	cursor := mine
	cursor.Vendor = "cursor"
	toMe, toMate, toCursor := e.feedNow(mine), e.feedNow(mate), e.feedNow(cursor)
	s := e.addSession(func(s *loci.Session) { s.Reach, s.AllowedVendors = loci.ReachPrivate, []loci.Vendor{"*"} })
	s.Reach, s.TeamID = loci.ReachTeam, team
	for range 2 {
		if err := e.updateSession(&s); err != nil {
			e.Fatal(explain(err))
		}
		s.Reach, s.TeamID = loci.ReachPrivate, loci.TeamID{}
	}
	c := e.addCandidate(func(c *loci.Candidate) { c.Reach, c.AllowedVendors = loci.ReachOrg, []loci.Vendor{"claude"} })
	c.State, c.Version = loci.ReviewRejected, c.Version+1
	if err := e.replaceCandidate(c); err != nil {
		e.Fatal(explain(err))
	}
	task := e.addTask(func(t *loci.Task) { t.ProjectID = mine.ProjectIDs[0] })
	task.State, task.DoneAt, task.Version = loci.TaskDone, e.clock.now(), 2
	if err := e.updateTask(task); err != nil {
		e.Fatal(explain(err))
	}
	if err := e.deleteTask(task.ID); err != nil {
		e.Fatal(explain(err))
	}
	e.wantTold("the owner", mine, toMe, nil, "session created", "session updated", "session updated", "candidate created",
		"candidate updated", "task created", "task updated", "task erased")
	e.wantTold("the team", mate, toMate, nil, "session updated", "session hidden", "candidate created",
		"candidate updated")
	e.wantTold("another vendor", cursor, toCursor, nil, "session created", "session updated", "session updated",
		"task created", "task updated", "task erased")
	if got, _ := e.told(mine, toMe, []loci.FeedKind{loci.FeedTask, loci.FeedMemory}, nil); len(got) != 3 {
		e.Errorf("of two kinds: %q", got)
	}
	toMe, toCursor = e.feedNow(mine), e.feedNow(cursor)
	old, by := e.insert(), e.insert(func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"claude"} })
	suggested := e.newSuggestion(old, by)
	if err := e.suggest(suggested); err != nil {
		e.Fatal(explain(err))
	}
	if err := e.decide(suggested.ID, loci.SuggestionDeclined); err != nil {
		e.Fatal(explain(err))
	}
	e.wantTold("who sees both memories", mine, toMe, nil, "memory created", "memory created", "suggestion created",
		"suggestion updated")
	e.wantTold("who sees one of them", cursor, toCursor, nil, "memory created")
}

// The org's own rows are told of to those who may list all of them, and to those whom they are about.
func testFeedOfTheOrg(e *env) {
	u := e.addUser()
	stranger := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID}
	mine, admin := loci.Viewer{OrgID: e.org, UserID: u.ID}, e.person()
	agent := mine
	agent.Vendor = "claude"
	toMe, toAdmin, toStranger, toAgent := e.feedNow(mine), e.feedNow(admin), e.feedNow(stranger), e.feedNow(agent)
	team := e.addTeam("team")
	e.addAgent()
	e.invite()
	u.Name = "Mara"
	if err := e.updateUser(u); err != nil {
		e.Fatal(explain(err))
	}
	w := e.addWorkspace("space")
	for _, change := range []func(context.Context, store.Workspaces) error{
		func(ctx context.Context, t store.Workspaces) error { return t.Join(ctx, w.ID, u.ID) },
		func(ctx context.Context, t store.Workspaces) error { return t.Rename(ctx, w.ID, "room") },
		func(ctx context.Context, t store.Workspaces) error { return t.Leave(ctx, w.ID, u.ID) },
	} {
		if err := e.tryWorkspaces(change); err != nil {
			e.Fatal(explain(err))
		}
	}
	if err := e.trySignIn(func(ctx context.Context, t store.SignIn) error {
		return t.SetPassword(ctx, u.ID, "$argon2id$x")
	}); err != nil {
		e.Fatal(explain(err))
	}
	receipt := &loci.Dream{ID: loci.DreamID(loci.NewMemoryID()), State: loci.DreamRunning, StartedAt: e.clock.now()}
	for range 2 {
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Dreams().Put(ctx, receipt) })
	}
	every := []loci.FeedKind{loci.FeedDream, loci.FeedAgent, loci.FeedMember, loci.FeedTeam, loci.FeedInvitation,
		loci.FeedWorkspace}
	e.wantTold("an admin", admin, toAdmin, every, "team created", "agent created", "invitation created", "member updated",
		"workspace created", "workspace updated", "workspace updated", "workspace updated", "dream created",
		"dream updated")
	e.wantTold("the person", mine, toMe, nil, "member updated", "workspace updated", "workspace updated",
		"workspace updated", "sign_in updated")
	e.wantTold("somebody else", stranger, toStranger, nil)
	e.wantTold("an assistant of the person", agent, toAgent, nil)
	in := mine
	in.WorkspaceID = w.ID
	toMe = e.feedNow(in)
	u.TeamID, u.TeamRole = team.ID, loci.Member
	if err := e.updateUser(u); err != nil {
		e.Fatal(explain(err))
	}
	e.wantTold("in a workspace", in, toMe, nil, "member updated")
	mate := loci.Viewer{OrgID: e.org, UserID: stranger.UserID, TeamID: team.ID}
	toMate := e.feedNow(mate)
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Teams().Rename(ctx, team.ID, "crew") })
	e.invite(func(i *loci.Invite) { i.TeamID, i.TeamRole, i.Email = team.ID, loci.Member, "other@example.com" })
	if err := e.st.People().Remove(e.Context(), e.org, u.ID, nil); err != nil {
		e.Fatal(explain(err))
	}
	e.wantTold("the team", mate, toMate, nil, "team updated", "invitation created", "member erased")
	e.wantTold("no member of the team", stranger, toStranger, nil)
}

// What is elsewhere than the feed is in it soon, for those who see the row.
func testFeedHints(e *env) {
	ctx := e.Context()
	other := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID}
	p := e.project("website")
	mine, outside := e.in(p), e.person()
	agent := mine
	agent.Vendor = "claude"
	toMe, toOutside, toOther, toAgent := e.feedNow(mine), e.feedNow(outside), e.feedNow(other), e.feedNow(agent)
	for _, change := range e.hinted(p, mine) {
		if err := change.do(); err != nil {
			e.Fatal(explain(err))
		}
		toMe = e.toldSoon(mine, toMe, change.want)
	}
	if err := e.st.Projects().Archive(ctx, e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	e.toldSoon(mine, toMe, "project updated")
	e.wantTold("another person", other, toOther, nil)
	got, _ := e.told(outside, toOutside, loci.FeedKinds(), nil)
	if slices.Contains(got, "project updated") || slices.Contains(got, "graph updated") {
		e.Errorf("a person outside of the project is told %q", got)
	}
	got, _ = e.told(agent, toAgent, loci.FeedKinds(), nil)
	if slices.ContainsFunc(got, func(one string) bool { return !strings.HasPrefix(one, "project ") }) || len(got) == 0 {
		e.Errorf("an assistant is told %q, want only of the project", got)
	}
}

// hint is a change and what the person learns of it.
type hint struct {
	want string
	do   func() error
}

// hinted returns changes of the person's keys, sign-ins, project and org.
func (e *env) hinted(p loci.Project, v loci.Viewer) []hint {
	ctx, keys := e.Context(), e.st.Credentials()
	key, signIn := e.credential(1), e.credential(2, func(c *loci.Credential) { c.Method = loci.BySignIn })
	return []hint{
		{"key created", func() error { return keys.Insert(ctx, key) }},
		{"key updated", func() error { return keys.Revoke(ctx, e.org, e.user, key.ID, e.clock.now()) }},
		{"sign_in created", func() error { return keys.Insert(ctx, signIn) }},
		{"sign_in updated", func() error {
			_, err := keys.RevokeAll(ctx, e.org, e.user, loci.BySignIn, loci.CredentialID{}, e.clock.now())
			return err
		}},
		{"project updated", func() error {
			_, err := e.st.Projects().Update(ctx, e.org, p.ID, func(p *loci.Project) error { p.Name = "site"; return nil })
			return err
		}},
		{"project updated", func() error {
			return e.st.ProjectMembers().Put(ctx, e.org, p.ID, loci.ProjectMember{UserID: e.user, Role: loci.MemberAdmin})
		}},
		{"graph updated", func() error {
			return e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) error {
				_, err := tx.Entities().Create(ctx, v, by(v), []loci.NewEntity{{EntityRef: loci.EntityRef{Name: "a", Type: "b"}}})
				return err
			})
		}},
		{"events updated", func() error {
			e.st.Hint(ctx, store.FeedHint{Org: e.org, Kind: loci.FeedEvents, ID: loci.NewSessionID(), Change: loci.Updated,
				Access: []loci.Access{{OrgID: e.org, UserID: e.user, Reach: loci.ReachPrivate}}})
			return nil
		}},
		{"org updated", func() error {
			_, err := e.st.Orgs().Update(ctx, e.org, func(o *loci.Org) error { o.Name = "acme"; return nil })
			return err
		}},
	}
}

// toldSoon waits until v is told of a change, and returns the position after it.
func (e *env) toldSoon(v loci.Viewer, at store.Position, want string) store.Position {
	e.Helper()
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		got, next := e.told(v, at, loci.FeedKinds(), []loci.FeedKind{loci.FeedOrg})
		if slices.Contains(got, want) {
			return next
		}
		if time.Now().After(deadline) {
			e.Fatalf("got %q, want %q", got, want)
		}
	}
}

// testFeedWorkReplay draws candidates, sessions, tasks, their changes and readers, and demands that each reader is told
// exactly what the rule says: nothing of a row that they saw on neither side.
func testFeedWorkReplay(e *env) {
	kinds := []loci.FeedKind{loci.FeedCandidate, loci.FeedSession, loci.FeedTask}
	rapid.Check(e, func(t *rapid.T) {
		h := &workFeed{world: e.newWorld(t)}
		var readers []loci.Viewer
		var at []store.Position
		for range 3 {
			v := h.viewer()
			readers, at = append(readers, v), append(at, e.feedNow(v))
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			h.step()
		}
		for i, v := range readers {
			var want []string
			for _, p := range h.past {
				if change := v.Notices(p.event.Change, p.before, p.after); change != "" {
					want = append(want, string(p.event.Kind)+" "+string(change))
				}
			}
			got, _ := e.told(v, at[i], kinds, nil)
			h.differ("the feed", v, want, got)
		}
	})
}

// workFeed is a world with what happened to its candidates, sessions and tasks.
type workFeed struct {
	*world
	past       []happening
	candidates []*loci.Candidate
	sessions   []loci.Session
	tasks      []loci.Task
}

// readers draws who sees a row.
func (h *workFeed) readers(a *loci.EventAccess) {
	a.Reach, a.TeamID = draw(h.t, "reach", loci.ReachOrg, loci.ReachTeam, loci.ReachPrivate), loci.TeamID{}
	if a.Reach == loci.ReachTeam {
		a.TeamID = draw(h.t, "team", h.teams...)
	}
	a.AllowedVendors = draw(h.t, "vendors", vendorLists...)
}

// owner draws what of a row never changes.
func (h *workFeed) owner(a *loci.EventAccess) {
	a.UserID, a.ProjectID = draw(h.t, "whose", h.users...), oneOf(h.t, "project", h.projects)
	a.WorkspaceID = oneOf(h.t, "workspace", h.workspaces)
}

func (h *workFeed) happens(kind loci.FeedKind, change loci.Change, before, after *loci.EventAccess) {
	p := happening{event: loci.FeedEvent{Kind: kind, Change: change}}
	if before != nil {
		p.before = []loci.Access{before.Access()}
	}
	if after != nil {
		p.after = []loci.Access{after.Access()}
	}
	h.past = append(h.past, p)
}

func (h *workFeed) step() {
	switch draw(h.t, "what", "new", "change", "change", "done") {
	case "new":
		h.add()
	case "change":
		h.alter()
	case "done":
		for _, task := range h.tasks {
			h.must(h.deleteTask(task.ID))
			h.happens(loci.FeedTask, loci.Erased, &task.EventAccess, nil)
		}
		h.tasks = nil
	}
}

func (h *workFeed) must(err error) {
	if err != nil {
		h.t.Fatal(explain(err))
	}
}

// add stores one row of each kind.
func (h *workFeed) add() {
	c := h.newCandidate(func(c *loci.Candidate) { h.owner(&c.EventAccess); h.readers(&c.EventAccess) })
	h.must(h.putCandidate(c))
	h.candidates = append(h.candidates, c)
	h.happens(loci.FeedCandidate, loci.Created, nil, &c.EventAccess)
	s := h.newSession(func(s *loci.Session) { h.owner(&s.EventAccess); h.readers(&s.EventAccess) })
	h.must(h.putSession(s))
	h.sessions = append(h.sessions, s)
	h.happens(loci.FeedSession, loci.Created, nil, &s.EventAccess)
	task := h.newTask(func(t *loci.Task) {
		h.owner(&t.EventAccess)
		t.ProjectID, t.AllowedVendors = draw(h.t, "project of a task", h.projects...), draw(h.t, "vendors", vendorLists...)
	})
	h.must(h.putTask(task))
	h.tasks = append(h.tasks, task)
	h.happens(loci.FeedTask, loci.Created, nil, &task.EventAccess)
}

// alter changes who sees the rows that there are.
func (h *workFeed) alter() {
	for i, c := range h.candidates {
		next := *c
		next.Version++
		h.readers(&next.EventAccess)
		h.must(h.replaceCandidate(&next))
		h.happens(loci.FeedCandidate, loci.Updated, &c.EventAccess, &next.EventAccess)
		h.candidates[i] = &next
	}
	for i, s := range h.sessions {
		next := s
		h.readers(&next.EventAccess)
		h.must(h.updateSession(&next))
		h.happens(loci.FeedSession, loci.Updated, &s.EventAccess, &next.EventAccess)
		h.sessions[i] = next
	}
	for i, task := range h.tasks {
		next := task
		next.Version++
		next.WorkspaceID, next.AllowedVendors = oneOf(h.t, "workspace", h.workspaces), draw(h.t, "vendors", vendorLists...)
		h.must(h.updateTask(next))
		h.happens(loci.FeedTask, loci.Updated, &task.EventAccess, &next.EventAccess)
		h.tasks[i] = next
	}
}
