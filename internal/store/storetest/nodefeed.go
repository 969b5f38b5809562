package storetest

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) nodeEvent(n *loci.MemoryNode, change loci.Change) loci.FeedEvent {
	event := loci.FeedEvent{At: e.clock.now(), Kind: "memory_node", ID: n.ID.String(), Change: change}
	if change == loci.Created {
		event.Origin = n.Origin
	}
	return event
}

// A change of a node is told to who sees the node, one of an item only to who sees that, too.
func testNodeFeed(e *env) {
	team := e.addTeam("team").ID
	mine, claude, cursor := e.person(), e.agent("claude"), e.agent("cursor")
	mate := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID, TeamID: team}
	all := []loci.Viewer{mine, claude, cursor, mate}
	var from []store.Position
	want := make([][]loci.FeedEvent, len(all))
	for _, v := range all {
		from = append(from, e.feedNow(v))
	}
	told := func(n *loci.MemoryNode, change loci.Change, who ...int) {
		for _, i := range who {
			want[i] = append(want[i], e.nodeEvent(n, change))
		}
	}
	secret := e.insert(func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} })
	for i, v := range all {
		if i == 0 || i == 2 { // who sees the memory itself
			events, _ := e.readFeed(v, from[i], 10)
			want[i] = append(want[i], events...)
		}
	}
	n := e.insertNode(func(n *loci.MemoryNode) { n.TeamID = team })
	told(n, loci.Created, 0, 1, 2, 3)
	top := e.place(n, "top")
	told(n, loci.Updated, 0, 1, 2, 3)
	narrow := e.place(n, "for cursor", func(i *loci.NodeItem) { i.AllowedVendors = []loci.Vendor{"cursor"} })
	told(n, loci.Updated, 0, 2, 3)
	e.place(n, "below it", below(narrow))
	told(n, loci.Updated, 0, 2, 3)
	shown := e.place(n, "", func(i *loci.NodeItem) { i.Kind, i.MemoryID = loci.ItemMemory, secret.ID })
	told(n, loci.Updated, 0, 2)
	leaf := e.place(n, "below the memory", below(shown))
	told(n, loci.Updated, 0, 2)
	e.clock.move(time.Second)
	if err := e.moveItem(mine, leaf, top, loci.NodeItemID{}); err != nil {
		e.Fatal(explain(err))
	}
	told(n, loci.Updated, 0, 2) // where it was
	told(n, loci.Updated, 0, 1, 2, 3)
	if err := e.removeItem(mine, shown); err != nil {
		e.Fatal(explain(err))
	}
	told(n, loci.Updated, 0, 2)
	n = e.updateNode(n, func(n *loci.MemoryNode) { n.DeletedAt = e.clock.now() })
	told(n, loci.Trashed, 0, 1, 2)
	told(n, loci.Hidden, 3)
	n = e.updateNode(n, func(n *loci.MemoryNode) { n.DeletedAt = time.Time{} })
	told(n, loci.Restored, 0, 1, 2, 3)
	n = e.updateNode(n, func(n *loci.MemoryNode) { n.AllowedVendors = []loci.Vendor{"claude"} })
	told(n, loci.Updated, 0, 1, 3)
	told(n, loci.Hidden, 2)
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.MemoryNodes().Erase(ctx, n.ID) })
	told(n, loci.Erased, 0, 1, 3)
	for i, v := range all {
		e.wantFeed([]string{"the owner", "claude", "cursor", "the team"}[i], v, from[i], want[i]...)
	}
}

// Whoever leaves takes along what they attached, said and arranged, also where it hangs on
// what is another's; nothing else of that goes.
func testStructuredOfLeavers(e *env) {
	team := e.addTeam("team").ID
	leaver := e.addUser()
	shared := func(m *loci.Memory) { m.TeamID = team }
	mine, theirs := e.insert(shared), e.insert(shared, func(m *loci.Memory) { m.UserID = leaver.ID })
	mate := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID, TeamID: team}
	for _, m := range []*loci.Memory{mine, theirs} {
		for _, user := range []loci.UserID{e.user, leaver.ID} {
			a := e.asset(m, "content")
			a.UserID = user
			if err := e.insertAsset(a); err != nil {
				e.Fatal(explain(err))
			}
			if err := e.insertSource(e.source(m, func(s *loci.Source) { s.UserID = user })); err != nil {
				e.Fatal(explain(err))
			}
		}
	}
	n := e.insertNode(func(n *loci.MemoryNode) { n.TeamID = team })
	gone := e.insertNode(func(n *loci.MemoryNode) { n.TeamID, n.UserID = team, leaver.ID })
	e.place(n, "mine")
	top := e.place(n, "theirs", func(i *loci.NodeItem) { i.UserID = leaver.ID })
	e.place(n, "mine below theirs", below(top))
	e.place(n, "", func(i *loci.NodeItem) { i.Kind, i.MemoryID = loci.ItemMemory, mine.ID })
	at := e.feedNow(mate)
	if err := e.st.People().Remove(e.Context(), e.org, leaver.ID, nil); err != nil {
		e.Fatal(explain(err))
	}
	e.wantUsage(loci.UserID{}, int64(len("content")))
	if list := e.sources(e.person(), loci.AnyState, mine.ID); len(list) != 1 || list[0].UserID != e.user {
		e.Errorf("sources: %+v", list)
	}
	e.wantOutline("the node", mate, n, "0 mine", "1 ")
	_, err := e.getNode(mate, gone.ID, loci.AnyState)
	e.wantCode("their node", err, loci.NotFound)
	e.wantFeed("what the team is told", mate, at, e.event(theirs, loci.Erased), e.nodeEvent(gone, loci.Erased),
		e.nodeEvent(n, loci.Updated))
}

// Nothing that a trashed or erased memory leaves in a node, or that hangs on it, is seen.
func testStructuredOfErased(e *env) {
	m, n := e.insert(), e.insertNode()
	e.attach(m, "content")
	if err := e.insertSource(e.source(m)); err != nil {
		e.Fatal(explain(err))
	}
	shown := e.place(n, "", func(i *loci.NodeItem) { i.Kind, i.MemoryID = loci.ItemMemory, m.ID })
	e.place(n, "below it", below(shown))
	e.place(n, "beside it")
	m = e.trash(m)
	e.wantOutline("in the trash", e.person(), n, "0 beside it")
	m = e.replace(m, func(m *loci.Memory) { m.DeletedAt, m.Change = time.Time{}, loci.Restored })
	e.wantOutline("restored", e.person(), n, "0 ", " 0 below it", "1 beside it")
	e.erase(m)
	e.wantOutline("erased", e.person(), n, "0 beside it")
	e.insert(func(again *loci.Memory) { again.ID = m.ID })
	if list, err := e.assets(e.person(), m.ID, loci.AnyState); len(list) != 0 || err != nil {
		e.Errorf("attachments: %v, %v", list, explain(err))
	}
	if list := e.sources(e.person(), loci.AnyState, m.ID); len(list) != 0 {
		e.Errorf("sources: %v", list)
	}
	e.wantOutline("another of that id", e.person(), n, "0 beside it")
	e.wantUsage(loci.UserID{}, 0)
}

// A team or a workspace with memory nodes in it stays.
func testNodesHoldTheirPlaces(e *env) {
	team, w := e.addTeam("team").ID, loci.Workspace{ID: newID[loci.WorkspaceID](), Name: "w", CreatedAt: e.clock.now()}
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Workspaces().Insert(ctx, w) })
	n := e.insertNode(func(n *loci.MemoryNode) { n.TeamID, n.WorkspaceID = team, w.ID })
	deleteTeam := func(ctx context.Context, tx store.Tx) error { return tx.Teams().Delete(ctx, team) }
	deleteWorkspace := func(ctx context.Context, tx store.Tx) error { return tx.Workspaces().Delete(ctx, w.ID) }
	e.wantCode("the team", e.tryUpdate(deleteTeam), loci.Conflict)
	e.wantCode("the workspace", e.tryUpdate(deleteWorkspace), loci.Conflict)
	e.updateNode(n, func(n *loci.MemoryNode) { n.TeamID, n.WorkspaceID = loci.TeamID{}, loci.WorkspaceID{} })
	e.update(deleteTeam)
	e.update(deleteWorkspace)
}

// checkEdit edits an item in the trash. Only the person who added it can.
func (e *env) checkEdit(n *loci.MemoryNode, id loci.NodeItemID) {
	edit := func(v loci.Viewer, text string, kept bool) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
			return tx.MemoryNodes().EditItem(ctx, v, id, func(i *loci.NodeItem) bool {
				i.Text, i.SecretsKept = text, kept
				return text != "not this"
			})
		})
	}
	stranger := e.person()
	stranger.UserID = loci.NewUserID()
	e.wantCode("of another", edit(stranger, "x", false), loci.NotFound)
	n = e.updateNode(n, func(n *loci.MemoryNode) { n.DeletedAt = e.clock.now() })
	for _, text := range []string{"b once", "not this"} {
		if err := edit(e.person(), text, true); err != nil {
			e.Fatal(explain(err))
		}
	}
	e.updateNode(n, func(n *loci.MemoryNode) { n.DeletedAt = time.Time{} })
	list, err := e.items(e.person(), n.ID)
	if err != nil || list[4].Text != "b once" || !list[4].SecretsKept || list[0].SecretsKept {
		e.Errorf("got %+v, %v", list, explain(err))
	}
	if err := edit(e.person(), "b", false); err != nil {
		e.Error(explain(err))
	}
}
