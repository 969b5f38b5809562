package app_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/transfer"
)

// library is a world with one of everything that an export takes along, and some of what it does not.
type library struct {
	*edited
	agent   loci.Agent
	session loci.Session
	own     *loci.Memory // of agent scope
	public  *loci.Memory
	bytes   []byte
}

func (e *edited) must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// attach adds an attachment to a memory.
func (e *edited) attach(t testing.TB, m *loci.Memory, name string, content []byte) loci.Asset {
	t.Helper()
	sum, size, err := e.st.Blobs().Put(t.Context(), m.OrgID, bytes.NewReader(content), int64(len(content)))
	e.must(t, err)
	a := loci.Asset{ID: loci.NewAssetID(), MemoryID: m.ID, UserID: m.UserID, Origin: "cli", Name: name,
		MediaType: "application/octet-stream",
		Size:      size, SHA256: hex.EncodeToString(sum[:]), CreatedAt: e.now}
	e.must(t, e.st.Update(t.Context(), m.OrgID, func(tx store.Tx) error { return tx.Assets().Insert(t.Context(), a) }))
	return a
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	l := &library{edited: newEdited(t)}
	ctx, org, user := t.Context(), l.local.OrgID, l.local.UserID
	l.agent = loci.Agent{ID: loci.NewAgentID(), OrgID: org, UserID: user, Vendor: "claude", Name: "reviewer",
		Config: []byte(`{"a":"<b>"}`), Description: "Reads\nchanges", CreatedAt: l.now, UpdatedAt: l.now,
		LastActiveAt: l.now.Add(time.Minute)}
	second := loci.Agent{ID: loci.NewAgentID(), OrgID: org, UserID: user, Vendor: "cursor", Name: "writer",
		CreatedAt: l.now, UpdatedAt: l.now}
	mate := loci.User{ID: loci.NewUserID(), OrgID: org, Email: "mate@example.com", CreatedAt: l.now}
	l.must(t, l.st.People().Add(ctx, mate, nil))
	mates, unused := second, second
	mates.ID, mates.UserID, mates.Name = loci.NewAgentID(), mate.ID, "critic"
	unused.ID, unused.UserID, unused.Name = loci.NewAgentID(), mate.ID, "of nothing that is exported"
	work := func(agent loci.AgentID, user loci.UserID, title string, reach loci.Reach,
		vendors ...loci.Vendor) loci.Session {
		s := loci.Session{ID: loci.NewSessionID(), AgentID: agent, Title: title, State: loci.SessionActive, CreatedAt: l.now,
			UpdatedAt: l.now, LastActiveAt: l.now, Revision: 1, EventAccess: loci.EventAccess{OrgID: org, UserID: user,
				Reach: reach, Origin: "claude", AllowedVendors: append([]loci.Vendor{}, vendors...)}}
		if reach == loci.ReachTeam {
			s.TeamID = loci.NewTeamID()
		}
		return s
	}
	l.session = work(l.agent.ID, user, "s", loci.ReachOrg, "claude")
	closed := work(loci.AgentID{}, user, "mine", loci.ReachPrivate)
	closed.State, closed.ClosedAt, closed.Expired = loci.SessionClosed, l.now.Add(time.Second), true
	closed.Metadata, closed.ReopenedAt = []byte(`{"a":"<b>"}`), l.now
	l.must(t, l.st.Update(ctx, org, func(tx store.Tx) error {
		return errors.Join(tx.Agents().Insert(ctx, l.agent), tx.Agents().Insert(ctx, second),
			tx.Agents().Insert(ctx, mates), tx.Agents().Insert(ctx, unused),
			tx.Sessions().Insert(ctx, l.session), tx.Sessions().Insert(ctx, closed),
			tx.Sessions().Insert(ctx, work(mates.ID, user, "with a mate", loci.ReachTeam, "*")),
			tx.Sessions().Insert(ctx, work(loci.NewAgentID(), user, "of a deleted agent", loci.ReachOrg, "*")),
			tx.Sessions().Insert(ctx, work(mates.ID, mate.ID, "of a mate", loci.ReachOrg, "*")))
	}))
	claude := l.editor[2]
	claude.SessionID, claude.AgentID = l.session.ID, l.agent.ID
	l.public = l.add(claude, memory.Draft{Title: "public", Content: "zebra"})
	l.own = l.add(claude, memory.Draft{Title: "own", Content: "of the agent", Scope: loci.ScopeAgent, AgentID: l.agent.ID,
		AllowedVendors: []loci.Vendor{"claude"}})
	other := l.add(l.owner, memory.Draft{Title: "other", Content: "okapi"})
	gone := l.add(l.owner, memory.Draft{Title: "gone", Content: "in the trash"})
	_, err := l.Memory.Patch(ctx, l.editor[0], l.public.ID, 0, memory.Patch{Title: loci.Set("public now")})
	l.must(t, err)
	_, err = l.Memory.Trash(ctx, l.owner, gone.ID, 0)
	l.must(t, err)
	l.must(t, l.supersede(t, l.editor[0], other.ID, l.public.ID))
	l.bytes = bytes.Repeat([]byte("0123456789abcdef"), 1<<17) // more than two lines
	for _, m := range []*loci.Memory{l.public, gone} {
		l.attach(t, m, "big.bin", l.bytes)
	}
	l.attach(t, l.own, "empty", nil)
	l.must(t, l.st.Update(ctx, org, func(tx store.Tx) error {
		return errors.Join(l.hang(ctx, tx, other, gone), l.plan(ctx, tx, mate.ID))
	}))
	return l
}

// plan stores tasks of a project: two of the person, and one of a mate.
func (l *library) plan(ctx context.Context, tx store.Tx, mate loci.UserID) error {
	task := loci.Task{ID: loci.NewTaskID(), Title: "a task", State: loci.TaskTodo, CreatedAt: l.now, UpdatedAt: l.now,
		Version: 1, EventAccess: loci.EventAccess{OrgID: l.local.OrgID, UserID: l.local.UserID,
			ProjectID: loci.NewProjectID(), Reach: loci.ReachOrg, Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}}
	done, theirs := task, task
	done.ID, done.Notes, done.AllowedVendors, done.Version = loci.NewTaskID(), "a\n<b>", []loci.Vendor{"claude"}, 7
	done.SetState(loci.TaskDone, l.now.Add(time.Second))
	theirs.ID, theirs.UserID, theirs.Title = loci.NewTaskID(), mate, "of a mate"
	question := loci.GoldenQuestion{ID: loci.NewGoldenID(), OrgID: l.local.OrgID, UserID: l.local.UserID,
		WorkspaceID: loci.NewWorkspaceID(), Question: "which <b>?", Expected: []loci.GoldenMemory{{ID: l.own.ID}},
		CreatedAt: l.now, UpdatedAt: l.now.Add(time.Second)}
	run := loci.GoldenRun{ID: loci.NewGoldenRunID(), OrgID: l.local.OrgID, UserID: l.local.UserID, At: l.now,
		Origin: "dashboard", Meaning: "ready", Questions: 1, R1: 0.1, R5: 0.2, R10: 0.3, MRR: 0.4, Spent: 1,
		Places: []loci.GoldenPlace{{ID: question.ID, Rank: 20}}}
	asked, ran := question, run
	asked.ID, asked.UserID, asked.Question = loci.NewGoldenID(), mate, "of a mate"
	ran.ID, ran.UserID, ran.MRR = loci.NewGoldenRunID(), mate, 0.987
	return errors.Join(tx.Golden().Insert(ctx, question), tx.Golden().Insert(ctx, asked),
		tx.Golden().InsertRun(ctx, &run), tx.Golden().InsertRun(ctx, &ran), tx.Tasks().Insert(ctx, task),
		tx.Tasks().Insert(ctx, done), tx.Tasks().Insert(ctx, theirs))
}

// hang stores sources, suggestions and nodes.
func (l *library) hang(ctx context.Context, tx store.Tx, other, gone *loci.Memory) error {
	source := loci.Source{ID: loci.NewSourceID(), MemoryID: l.own.ID, Kind: loci.SourceText, Text: "she said 日本",
		Quote: "日本", Start: 9, End: 11,
		UserID: l.local.UserID, Origin: "claude", AllowedVendors: []loci.Vendor{"claude"}, CreatedAt: l.now}
	earlier, elsewhere := source, source // no writer may save these now; an import keeps what it finds
	earlier.ID, earlier.Kind, earlier.Ref = loci.NewSourceID(), loci.SourceMessage, "msg-1"
	earlier.Text, earlier.Quote, earlier.Start, earlier.End = "", "", 0, 0
	elsewhere.ID, elsewhere.Kind, elsewhere.Ref = loci.NewSourceID(), loci.SourceSession, loci.NewSessionID().String()
	suggestion := func(a, b *loci.Memory, state loci.SuggestionState) error {
		s := loci.Suggestion{ID: loci.NewSuggestionID(), Kind: loci.SuggestCorrect, MemoryID: a.ID, ByID: b.ID,
			Origin: "cursor", CreatedAt: l.now}
		err := tx.Suggestions().Insert(ctx, s)
		if err == nil && state != loci.SuggestionPending {
			err = tx.Suggestions().Settle(ctx, s.ID, state, l.now.Add(time.Minute))
		}
		return err
	}
	node := func(name string, change func(*loci.MemoryNode)) *loci.MemoryNode {
		n := &loci.MemoryNode{ID: loci.NewNodeID(), Name: name, CreatedAt: l.now, UpdatedAt: l.now}
		n.OrgID, n.UserID, n.Origin = l.local.OrgID, l.local.UserID, "claude"
		n.SetDefaults()
		change(n)
		return n
	}
	outline := node("outline", func(*loci.MemoryNode) {})
	trashed := node("trashed", func(n *loci.MemoryNode) { n.DeletedAt = l.now })
	ofAgent := node("of the agent", func(n *loci.MemoryNode) { n.Scope, n.AgentID = loci.ScopeAgent, l.agent.ID })
	item := func(n *loci.MemoryNode, parent loci.NodeItemID, change func(*loci.NodeItem)) loci.NodeItem {
		i := loci.NodeItem{ID: loci.NewNodeItemID(), NodeID: n.ID, ParentID: parent, UserID: l.local.UserID, Origin: "claude",
			AllowedVendors: []loci.Vendor{"*"}, CreatedAt: l.now}
		change(&i)
		return i
	}
	text := item(outline, loci.NodeItemID{}, func(i *loci.NodeItem) { i.Kind, i.Text = loci.ItemText, "first" })
	entity := func(i *loci.NodeItem) {
		i.Kind, i.ProjectID, i.EntityID = loci.ItemEntity, loci.NewProjectID(), loci.NewEntityID()
	}
	memory := func(m *loci.Memory) func(*loci.NodeItem) {
		return func(i *loci.NodeItem) { i.Kind, i.MemoryID = loci.ItemMemory, m.ID }
	}
	errs := []error{tx.Sources().Insert(ctx, source), tx.Sources().Insert(ctx, earlier),
		tx.Sources().Insert(ctx, elsewhere), suggestion(other, l.public, loci.SuggestionAccepted),
		suggestion(other, gone, loci.SuggestionPending),
		suggestion(l.public, l.own, loci.SuggestionPending), tx.MemoryNodes().Insert(ctx, outline),
		tx.MemoryNodes().Insert(ctx, trashed), tx.MemoryNodes().Insert(ctx, ofAgent)}
	for _, i := range []loci.NodeItem{text, item(outline, loci.NodeItemID{}, memory(gone)),
		item(outline, text.ID, memory(l.own)), item(outline, text.ID, entity),
		item(trashed, loci.NodeItemID{}, memory(l.public)), item(ofAgent, loci.NodeItemID{}, memory(l.own))} {
		errs = append(errs, tx.MemoryNodes().InsertItem(ctx, i))
	}
	return errors.Join(errs...)
}

func exported(t testing.TB, w *world) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := w.Transfer.Export(t.Context(), w.local, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// imported takes an export in and returns the report with the lines that were not taken.
func imported(t testing.TB, w *world, in string, o transfer.ImportOptions) (transfer.ImportReport, string) {
	t.Helper()
	var problems []string
	o.Problem = func(p jsonlines.Problem) { problems = append(problems, fmt.Sprint(p.Line, " ", p.Text)) }
	got, err := w.Transfer.Import(t.Context(), w.local, strings.NewReader(in), o)
	if err != nil {
		t.Fatal(err)
	}
	return got, strings.Join(problems, "\n")
}

// Everything comes back to the byte, whoever it is imported for, and however often.
func TestEverythingIsExportedAndImported(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	first := exported(t, l.world)
	for _, want := range []string{`{"agent":`, `{"session":`, `{"task":`, `"done_at":`, `"versions":`, `"sources":`,
		`"assets":`, `{"blob":`, `"offset":`, `{"node":`, `"items":`, `{"suggestion":`, `"scope":"agent"`,
		`"superseded_by":`, `"state":"accepted"`, `{"golden":`, `{"golden_run":`} {
		if !strings.Contains(first, want) {
			t.Errorf("%s is not in the export", want)
		}
	}
	for _, other := range []string{"of a mate", "of nothing that is exported", `"reach":"team"`, "0.987"} {
		if strings.Contains(first, other) {
			t.Errorf("the export has %s", other)
		}
	}
	if !strings.Contains(first, `"critic"`) || strings.Index(first, `"critic"`) > strings.Index(first, "with a mate") {
		t.Error("the export does not have the agent of a mate before the session of that agent")
	}
	for _, p := range append(l.editor, l.owner) {
		for _, id := range []string{p.UserID.String(), p.CredentialID.String()} {
			if strings.Contains(first, id) && id != (loci.CredentialID{}).String() {
				t.Error("the export names a person or a credential")
			}
		}
	}
	fresh := newEdited(t)
	lines := strings.Count(first, "\n")
	all := records(first)
	dry, problems := imported(t, fresh.world, first, transfer.ImportOptions{DryRun: true})
	if dry.Added != all || problems != "" {
		t.Errorf("dry run: %+v %s", dry, problems)
	}
	others := all - strings.Count(first, `{"memory":`)
	for _, want := range []transfer.ImportReport{{Lines: lines, Added: all, Others: others},
		{Lines: lines, Present: all}} {
		got, problems := imported(t, fresh.world, first, transfer.ImportOptions{})
		got.Bytes = 0
		if got != want || problems != "" {
			t.Errorf("got %+v, want %+v; %s", got, want, problems)
		}
		if diff := cmp.Diff(short(first), short(exported(t, fresh.world))); diff != "" {
			t.Error(diff)
		}
	}
	claude := fresh.editor[2]
	claude.AgentID = l.agent.ID
	if m, err := fresh.Memory.Get(t.Context(), claude, l.own.ID); err != nil || m.Content != l.own.Content {
		t.Errorf("what the agent wrote for itself: %+v, %v", m, err)
	}
	sum := sha256.Sum256(l.bytes)
	f, err := fresh.st.Blobs().Open(t.Context(), fresh.local.OrgID, sum)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, l.bytes) {
		t.Errorf("the attachment has %d bytes, want %d; %v", len(got), len(l.bytes), err)
	}
}

// short hides the bytes of attachments from a difference.
func short(export string) string {
	var out strings.Builder
	for line := range strings.Lines(export) {
		if strings.HasPrefix(line, `{"blob":`) && len(line) > 300 {
			line = line[:100] + fmt.Sprintf("… %d %x\n", len(line), sha256.Sum256([]byte(line)))
		}
		out.WriteString(line)
	}
	return out.String()
}

// A bad line is left out with what hangs on it, and nothing else.
func TestImportLeavesOutWhatHangsOnABadLine(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	whole := exported(t, l.world)
	for name, tt := range map[string]struct {
		mend    func(line string) string
		refused []string
	}{
		"agent": {func(line string) string { return damage(line, `{"agent":`, `"claude"`, `"*"`) },
			[]string{"vendor"}},
		"first part of an attachment": {func(line string) string { return drop(line, `{"blob":`, `"size":2097152,"data"`) },
			[]string{"beginning", "beginning", "are gone", "are gone", "not here", "not here", "not here", "not here",
				"not here"}},
		"second part of an attachment": {func(line string) string { return drop(line, `{"blob":`, `"offset":786432`) },
			[]string{"is cut off", "are gone", "are gone", "not here", "not here", "not here", "not here", "not here"}},
		"byte of an attachment": {
			func(line string) string { return damage(line, `{"blob":`, `"data":"MDEy`, `"data":"MDEz`) },
			[]string{"damaged", "are gone", "are gone", "not here", "not here", "not here", "not here", "not here"}},
		"node": {
			func(line string) string { return damage(line, `{"node":`, `"kind":"entity"`, `"kind":"text"`) },
			[]string{"items[2]"}},
		"suggestion": {
			func(line string) string { return damage(line, `{"suggestion":`, `"accepted"`, `"approved"`) }, []string{"state"}},
		"task": {
			func(line string) string { return damage(line, `{"task":`, `"done_at"`, `"closed_at"`) }, []string{"closed_at"}},
		"undone task": {
			func(line string) string { return damage(line, `{"task":`, `"state":"done"`, `"state":"todo"`) },
			[]string{"state"}},
		"kind": {
			func(line string) string { return damage(line, `{"session":`, `{"session":`, `{"sitting":`) },
			[]string{"sitting", "sitting", "sitting", "sitting"}},
	} {
		t.Run(name, func(t *testing.T) {
			var in strings.Builder
			for line := range strings.Lines(whole) {
				in.WriteString(tt.mend(line))
			}
			w := newEdited(t)
			got, problems := imported(t, w.world, recounted(in.String()), transfer.ImportOptions{})
			all := strings.Split(problems, "\n")
			if got.Refused != len(tt.refused) || len(all) != len(tt.refused) {
				t.Fatalf("%d refused, want %d:\n%s", got.Refused, len(tt.refused), problems)
			}
			for i, want := range tt.refused {
				if !strings.Contains(all[i], want) {
					t.Errorf("problem %d is %q, want one about %q", i, all[i], want)
				}
			}
			again, problems := imported(t, w.world, whole, transfer.ImportOptions{})
			if again.Refused != 0 || again.Present != got.Added {
				t.Errorf("the mended import: %+v\n%s", again, problems)
			}
		})
	}
}

// damage replaces something in lines that begin like this.
func damage(line, begin, old, now string) string {
	if strings.HasPrefix(line, begin) {
		return strings.Replace(line, old, now, 1)
	}
	return line
}

// recounted returns an export whose last line has the right number of lines.
func recounted(export string) string {
	body := export[:strings.LastIndex(export, `{"end":`)]
	return fmt.Sprintf("%s{\"end\":{\"lines\":%d}}\n", body, strings.Count(body, "\n")-1)
}

func drop(line, begin, with string) string {
	if strings.HasPrefix(line, begin) && strings.Contains(line, with) {
		return ""
	}
	return line
}

// An agent that is here already by its vendor and name is that one.
func TestImportKnowsAgentsByName(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	w := newEdited(t)
	here := loci.Agent{ID: loci.NewAgentID(), OrgID: w.local.OrgID, UserID: w.local.UserID, Vendor: l.agent.Vendor,
		Name: l.agent.Name, CreatedAt: w.now, UpdatedAt: w.now}
	w.must(t, w.st.Update(t.Context(), w.local.OrgID,
		func(tx store.Tx) error { return tx.Agents().Insert(t.Context(), here) }))
	for range 2 {
		if got, problems := imported(t, w.world, exported(t, l.world), transfer.ImportOptions{}); got.Refused != 0 {
			t.Errorf("%+v\n%s", got, problems)
		}
	}
	claude := w.editor[2]
	claude.AgentID = here.ID
	if m, err := w.Memory.Get(t.Context(), claude, l.own.ID); err != nil || m.AgentID != here.ID {
		t.Errorf("%+v, %v", m, err)
	}
}

// If the name of an agent belongs to another vendor's agent, the agent gets another name.
func TestImportRenamesAgents(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	w := newEdited(t)
	here := loci.Agent{ID: loci.NewAgentID(), OrgID: w.local.OrgID, UserID: w.local.UserID, Vendor: "cursor",
		Name: l.agent.Name, CreatedAt: w.now, UpdatedAt: w.now}
	w.must(t, w.st.Update(t.Context(), w.local.OrgID,
		func(tx store.Tx) error { return tx.Agents().Insert(t.Context(), here) }))
	for range 2 {
		if got, problems := imported(t, w.world, exported(t, l.world), transfer.ImportOptions{}); got.Refused != 0 {
			t.Errorf("%+v\n%s", got, problems)
		}
	}
	if got, err := w.Agent.Get(t.Context(), w.owner, l.agent.ID.String()); err != nil || got.Name != "reviewer-2" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Before format 4, a session was private, and for one vendor or none.
func TestImportOfOldSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const line = `{"session":{"id":"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7%d","user_id":"","vendor":"%s","title":"t",` +
		`"state":"closed","created_at":"2026-01-02T03:04:05Z","closed_at":"2026-01-02T04:00:00Z"}}` + "\n"
	got, problems := imported(t, w, exportHead+fmt.Sprintf(line, 1, "claude")+fmt.Sprintf(line, 2, ""),
		transfer.ImportOptions{})
	if got.Added != 2 || got.Refused != 0 {
		t.Fatalf("%+v\n%s", got, problems)
	}
	for id, want := range map[string]loci.EventAccess{
		"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d71": {Origin: "claude", AllowedVendors: []loci.Vendor{"claude"}},
		"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d72": {Origin: "api", AllowedVendors: []loci.Vendor{}},
	} {
		want.OrgID, want.UserID, want.Reach = w.local.OrgID, w.local.UserID, loci.ReachPrivate
		s, err := w.Agent.Session(t.Context(), w.local, id)
		if diff := cmp.Diff(want, s.EventAccess); diff != "" || err != nil || !s.LastActiveAt.Equal(s.ClosedAt) {
			t.Errorf("%+v, %v (-want +got):\n%s", s, err, diff)
		}
	}
}

// What an export cannot have whole it does not pretend to have.
func TestExportFailsWithoutTheBytes(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	m := e.add(e.owner, memory.Draft{Title: "t", Content: "c"})
	a := e.attach(t, m, "x", []byte("bytes"))
	a.ID, a.Size = loci.NewAssetID(), 7 // more than there are
	e.must(t, e.st.Update(t.Context(), m.OrgID, func(tx store.Tx) error { return tx.Assets().Insert(t.Context(), a) }))
	whole := e.add(e.owner, memory.Draft{Title: "whole", Content: "c"})
	// the first of the same bytes is whole
	if _, err := e.Transfer.Export(t.Context(), e.local, io.Discard); err != nil {
		t.Fatal(err)
	}
	a.ID, a.MemoryID, a.Size = loci.NewAssetID(), whole.ID, 5
	sum, _, err := e.st.Blobs().Put(t.Context(), m.OrgID, strings.NewReader("other"), 10)
	e.must(t, err)
	a.SHA256, a.Size = hex.EncodeToString(sum[:]), 6
	e.must(t, e.st.Update(t.Context(), m.OrgID, func(tx store.Tx) error { return tx.Assets().Insert(t.Context(), a) }))
	_, err = e.Transfer.Export(t.Context(), e.local, io.Discard)
	wantCode(t, err, loci.Conflict)
}

// What teammates have added to a memory or a node is theirs.
func TestExportTakesNothingOfOthers(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	_, err := c.Memory.Share(ctx, c.mara, c.memory.ID)
	c.must(err)
	s := loci.Source{ID: loci.NewSourceID(), MemoryID: c.memory.ID, Kind: loci.SourceText, Text: "said by tom",
		UserID: c.tom.UserID, Origin: "api", AllowedVendors: []loci.Vendor{"*"}, CreatedAt: c.now}
	c.must(c.st.Update(ctx, "acme", func(tx store.Tx) error { return tx.Sources().Insert(ctx, s) }))
	var mine, toms bytes.Buffer
	_, err = c.Transfer.Export(ctx, c.mara, &mine)
	c.must(err)
	_, err = c.Transfer.Export(ctx, c.tom, &toms)
	c.must(err)
	if strings.Contains(mine.String(), "said by tom") || strings.Contains(toms.String(), c.memory.ID.String()) {
		t.Errorf("mara's:\n%s\ntom's:\n%s", mine.String(), toms.String())
	}
}
