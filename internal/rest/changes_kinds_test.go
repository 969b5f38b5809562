package rest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// following is a reader of some kinds, who asks again and again.
type following struct {
	s              *server
	key, kinds, at string
	all            string // what came so far
	events         []loci.FeedEvent
}

// following begins to follow.
func (s *server) following(tb testing.TB, key, kinds string) *following {
	tb.Helper()
	f := &following{s: s, key: key, kinds: kinds}
	f.read(tb)
	return f
}

// read reads what there is now.
func (f *following) read(tb testing.TB) {
	tb.Helper()
	path := "/changes?once=true"
	if f.kinds != "" {
		path += "&kinds=" + f.kinds
	}
	w := f.s.do("GET", path, f.key, "", "Last-Event-ID: "+f.at)
	if w.Code != 200 {
		tb.Fatalf("GET %s: got %d %s", path, w.Code, w.Body)
	}
	f.all += w.Body.String()
	for line := range strings.SplitSeq(w.Body.String(), "\n") {
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			f.at = id
		}
		data, ok := strings.CutPrefix(line, "data: ")
		var e loci.FeedEvent
		if ok && strings.Contains(data, `"kind"`) {
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				tb.Fatal(err)
			}
			f.events = append(f.events, e)
		}
	}
}

// until reads until an event came.
func (f *following) until(tb testing.TB, kind loci.FeedKind, change loci.Change, id string) {
	tb.Helper()
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		if f.has(kind, change, id) {
			return
		}
		if time.Now().After(deadline) {
			tb.Fatalf("there is no %s of %s %s: %+v", change, kind, id, f.events)
		}
		f.read(tb)
	}
}

func (f *following) has(kind loci.FeedKind, change loci.Change, id string) bool {
	return slices.ContainsFunc(f.events, func(e loci.FeedEvent) bool {
		return e.Kind == kind && e.Change == change && e.ID == id
	})
}

// TestKindsOfChanges gets what was asked for, and without that what clients know from before.
func TestKindsOfChanges(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, kinds := range []string{"nonsense", "memory,nonsense", "memory&kinds=nonsense"} {
		w := s.do("GET", "/changes?once=true&kinds="+kinds, owner, "")
		if w.Code != 400 || !strings.Contains(w.Body.String(), "must be all, or some of: memory, memory_node, candidate") {
			t.Errorf("kinds=%s: got %d %s", kinds, w.Code, w.Body)
		}
	}
	old, some := s.following(t, owner, ""), s.following(t, owner, "candidate,%20session")
	all := s.following(t, owner, "all")
	list, _ := s.candidates(t, claude, "idea: We could sing")
	m := s.write(t, claude, `{"title":"t","content":"c"}`)
	id := list[0].ID.String()
	for _, f := range []*following{old, some, all} {
		f.read(t)
	}
	if len(old.events) != 1 || !old.has(loci.FeedMemory, loci.Created, m.ID.String()) {
		t.Errorf("without kinds: got %+v", old.events)
	}
	if len(some.events) != 1 || !some.has(loci.FeedCandidate, loci.Created, id) || some.events[0].Version == 0 {
		t.Errorf("two kinds: got %+v", some.events)
	}
	if !all.has(loci.FeedCandidate, loci.Created, id) || !all.has(loci.FeedMemory, loci.Created, m.ID.String()) {
		t.Errorf("all: got %+v", all.events)
	}
	// What a transaction of the store writes is enough here.
	w := loci.Workspace{ID: loci.NewWorkspaceID(), Name: "space", CreatedAt: s.clock.Now()}
	task := loci.Task{ID: loci.NewTaskID(), Title: "t", State: loci.TaskTodo, Version: 1, CreatedAt: s.clock.Now(),
		UpdatedAt: s.clock.Now(), EventAccess: loci.EventAccess{UserID: s.owner.UserID, ProjectID: loci.NewProjectID(),
			Reach: loci.ReachOrg, Origin: "api", AllowedVendors: []loci.Vendor{"*"}}}
	err := s.store.Update(t.Context(), loci.DefaultOrg, func(tx store.Tx) error {
		return errors.Join(tx.Workspaces().Insert(t.Context(), w), tx.Tasks().Insert(t.Context(), task))
	})
	if err != nil {
		t.Fatal(err)
	}
	all.until(t, loci.FeedWorkspace, loci.Created, w.ID.String())
	all.until(t, loci.FeedTask, loci.Created, task.ID.String())
	// A position is good for other kinds.
	old.kinds = "candidate"
	s.expect(t, 200, owner, "POST /review/candidates/"+id+"/reject {}")
	old.until(t, loci.FeedCandidate, loci.Updated, id)
	if strings.Contains(old.all, "event: reset") {
		t.Errorf("got a reset: %s", old.all)
	}
}

// TestKindsAreThoseThatACredentialMayList gives other people, vendors, limited keys and other orgs nothing.
func TestKindsAreThoseThatACredentialMayList(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	user := s.addUser(t, loci.DefaultOrg, "noor@example.org", loci.Member)
	own, noor := s.key(t, loci.DefaultOrg, user.ID, auth.KeyRequest{})
	_, narrow := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Rights: []loci.Right{loci.RightRead}})
	other := s.tenant(t, "elsewhere")
	mine := s.following(t, owner, "all")
	var others []*following
	for _, key := range []string{noor, other.key, cursor, narrow} {
		others = append(others, s.following(t, key, "all"))
	}
	// A new project or team moves a reader to the end of the feed, so they read what is before it first.
	read := func(resets bool) {
		for i, f := range others {
			if f.read(t); !resets && strings.Contains(f.all, "event: reset") {
				t.Errorf("reader %d begins anew: %s", i, f.all)
			}
		}
	}
	private := s.expect(t, 201, owner, `POST /sessions {"title":"secret","reach":"private","allowed_vendors":["claude"]}`)
	var session loci.Session
	decode(t, private, &session)
	mine.until(t, loci.FeedSession, loci.Created, session.ID.String())
	s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Vendor: "gemini", Name: "new"})
	keys, err := s.app.Identity.Keys(t.Context(), s.owner, loci.KindAgent)
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	mine.until(t, loci.FeedKey, loci.Created, keys[0].ID.String())
	read(false)
	g := s.graph(t, owner, "private", "secret")
	project, err := loci.ParseMemoryID(g.project)
	if err != nil {
		t.Fatal(err)
	}
	mine.until(t, loci.FeedGraph, loci.Updated, project.String())
	read(true)
	s.addTeam(t, loci.DefaultOrg, "the crew", s.owner.UserID)
	read(true)
	for i, f := range others {
		for _, e := range f.events {
			if i != 1 && !mayLearn(i, &e, project.String(), own.String()) {
				t.Errorf("reader %d is told of %+v", i, e)
			}
		}
	}
	if !others[3].has(loci.FeedSession, loci.Created, session.ID.String()) {
		t.Errorf("the key that reads sessions is told of %+v only", others[3].events)
	}
	for _, e := range others[1].events { // the other org has changes of its own
		if slices.Contains([]string{session.ID.String(), keys[0].ID.String(), project.String()}, e.ID) {
			t.Errorf("another org is told of %+v", e)
		}
	}
}

// mayLearn reports whether a reader of the test above may be told of an event. The feed may have the reader's own key
// only after they follow.
func mayLearn(reader int, e *loci.FeedEvent, project, own string) bool {
	switch e.Kind {
	case loci.FeedSession:
		return reader == 3 // a key of the owner's that reads sessions
	case loci.FeedGraph:
		return reader == 0 || e.ID != project // who belongs to the project
	case loci.FeedKey:
		return reader == 0 && e.ID == own
	case loci.FeedTeam, loci.FeedMember, loci.FeedSignIn:
		return false
	}
	return true
}

// TestHiddenRowsOfOtherKindsLeaveNoTrace compares what a reader of all kinds gets, with and without changes of rows
// that it may not see.
func TestHiddenRowsOfOtherKindsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	read := func(hide bool) string {
		s := newServer(t)
		s.clock.stop()
		f := s.following(t, cursor, "all")
		for i := range 3 {
			if hide {
				w := s.expect(t, 201, owner, `POST /sessions {"title":"secret","reach":"private","allowed_vendors":["claude"]}`)
				var hidden loci.Session
				decode(t, w, &hidden)
				s.expect(t, 200, owner, "POST /sessions/"+hidden.ID.String()+"/close")
				s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Vendor: "gemini"})
			}
			s.write(t, claude, fmt.Sprintf(`{"title":"seen","content":"%d"}`, i))
			f.read(t)
		}
		return seal.ReplaceAllStringFunc(ids.ReplaceAllString(f.all, "id"), func(id string) string {
			return strings.Repeat("x", len(id))
		})
	}
	if with, without := read(true), read(false); with != without {
		t.Errorf("with hidden changes:\n%s\nwithout:\n%s", with, without)
	}
}

// TestKeysOfProjectsFollowNoAgents: a credential that is limited to projects lists no agents.
func TestKeysOfProjectsFollowNoAgents(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, key := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{ProjectIDs: []loci.ProjectID{loci.NewProjectID()}})
	narrow, all := s.following(t, key, "agent,org"), s.following(t, owner, "agent,org")
	w := s.expect(t, 201, owner, `POST /agents {"name":"reviewer","vendor":"claude"}`)
	var a loci.Agent
	decode(t, w, &a)
	all.until(t, loci.FeedAgent, loci.Created, a.ID.String())
	if narrow.read(t); len(narrow.events) > 0 {
		t.Errorf("a key of a project got %+v", narrow.events)
	}
}
