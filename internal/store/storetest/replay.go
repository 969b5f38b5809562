package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// history is a world in which every state of every memory is remembered.
type history struct {
	*world
	states map[loci.MemoryID][]*loci.Memory
	start  time.Time
}

// testWhenReplays draws what people do and asks about any moment of it. What is
// expected comes from replaying what was done until then.
func testWhenReplays(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		h := &history{e.newWorld(t), map[loci.MemoryID][]*loci.Memory{}, e.clock.now()}
		h.live(rapid.IntRange(1, 24).Draw(t, "steps"))
		h.view(func(ctx context.Context, tx store.Tx) error {
			for range 4 {
				v, w := h.reader(), h.when()
				if err := errors.Join(h.compareGet(ctx, tx, v, w), h.compareList(ctx, tx, v, w)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	e.check()
}

// live draws and stores steps, all in one transaction, each at its time. A clock may
// be set back.
func (h *history) live(steps int) {
	var do []func(context.Context, store.Tx) error
	for range steps {
		h.clock.move(time.Duration(draw(h.t, "later", 0, 1, 1, 2, 5, -1)) * time.Minute)
		what := draw(h.t, "what", "create", "create", "change", "change", "trash", "restore", "supersede", "erase")
		if len(h.rows) == 0 || what == "create" {
			m := h.memory(h.change, h.validity, h.mild)
			h.rows, h.states[m.ID] = append(h.rows, m), []*loci.Memory{m}
			do = append(do, func(ctx context.Context, tx store.Tx) error { return tx.Memories().Insert(ctx, m) })
			continue
		}
		i := rapid.IntRange(0, len(h.rows)-1).Draw(h.t, "which")
		if m := h.rows[i]; what == "erase" {
			h.rows = slices.Delete(h.rows, i, i+1)
			do = append(do, func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, m.ID) })
			continue
		}
		next := edited(h.rows[i], h.clock.now(), h.step(what))
		h.rows[i], h.states[next.ID] = next, append(h.states[next.ID], next)
		do = append(do, func(ctx context.Context, tx store.Tx) error { return tx.Memories().Replace(ctx, next) })
	}
	h.update(func(ctx context.Context, tx store.Tx) error {
		for _, fn := range do {
			if err := fn(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
}

func (h *history) step(what string) func(*loci.Memory) {
	return func(m *loci.Memory) {
		switch what {
		case "change":
			h.alter(m)
		case "trash":
			m.DeletedAt, m.Change = h.clock.now(), loci.Trashed
		case "restore":
			m.DeletedAt, m.Change = time.Time{}, loci.Restored
		case "supersede":
			m.SupersededBy, m.ValidTo = loci.NewMemoryID(), h.clock.now()
		}
	}
}

// mild undoes most of what would hide a memory from everybody.
func (h *history) mild(m *loci.Memory) {
	if draw(h.t, "mild", true, true, false) {
		m.DeletedAt, m.ExpiresAt, m.SupersededBy = time.Time{}, time.Time{}, loci.MemoryID{}
	}
}

// alter takes one thing, seldom all, from another memory, so that most of what was to be
// seen still is.
func (h *history) alter(m *loci.Memory) {
	other := h.memory(h.change, h.validity)
	switch draw(h.t, "alter", "text", "text", "vendors", "reach", "agent", "workspace", "life", "validity", "creation",
		"all") {
	case "text":
		m.Title, m.Content, m.Tags, m.Category = other.Title, other.Content, other.Tags, other.Category
	case "vendors":
		m.AllowedVendors = other.AllowedVendors
	case "reach":
		m.UserID, m.TeamID, m.ProjectID, m.Scope = other.UserID, other.TeamID, other.ProjectID, other.Scope
	case "agent":
		m.AgentID, m.Scope = other.AgentID, other.Scope
	case "workspace":
		m.WorkspaceID = other.WorkspaceID
	case "life":
		m.ExpiresAt, m.SupersededBy = other.ExpiresAt, other.SupersededBy
	case "validity":
		m.ValidFrom, m.ValidTo = other.ValidFrom, other.ValidTo
	case "creation":
		m.CreatedAt = h.clock.now().Add(time.Duration(draw(h.t, "created", -5, -2, -1, 0, 1, 2)) * time.Minute)
	default:
		h.change(m)
		h.validity(m)
	}
}

// reader is somebody, more often than not somebody who reaches one of the memories.
func (h *history) reader() loci.Viewer {
	v := h.viewer()
	if len(h.rows) == 0 || draw(h.t, "anybody", true, false, false) {
		return v
	}
	m := h.rows[rapid.IntRange(0, len(h.rows)-1).Draw(h.t, "of")]
	v.OrgID, v.OnlyProjects, v.AgentID = h.org, false, m.AgentID
	v.TeamID, v.UserID = m.TeamID, draw(h.t, "owner", m.UserID, h.users[0], h.users[1])
	v.WorkspaceID = draw(h.t, "workspace", loci.WorkspaceID{}, m.WorkspaceID)
	v.Vendor = draw(h.t, "vendor", "", v.Vendor)
	return v
}

func (h *history) validity(m *loci.Memory) {
	if draw(h.t, "valid", false, true) {
		m.ValidFrom, m.ValidTo = h.drawTime("valid from"), h.drawTime("valid to")
	}
}

// when draws a time at, before or after what happened, often the very moment.
func (h *history) when() loci.When {
	some := func(label string) time.Time {
		if draw(h.t, label, false, true) {
			return time.Time{}
		}
		minutes := rapid.IntRange(-2, max(int(h.clock.now().Sub(h.start)/time.Minute), 0)+2).Draw(h.t, label+" minutes")
		return h.start.Add(time.Duration(minutes)*time.Minute +
			draw[time.Duration](h.t, label+" and", 0, 0, -1, 1, time.Microsecond, -time.Microsecond))
	}
	return loci.When{AsOf: some("as of"), KnownAt: some("known at"), Superseded: draw(h.t, "superseded too", false, true)}
}

// then replays the memory's life until the moment.
func (h *history) then(m *loci.Memory, w loci.When) (state *loci.Memory) {
	for _, s := range h.states[m.ID] {
		if w.KnownAt.IsZero() || !s.UpdatedAt.After(w.KnownAt) {
			state = s
		}
	}
	return state
}

// seen returns the states that the rule and the filter admit, in the order of storing,
// and beside them the memories as they are now.
func (h *history) seen(v loci.Viewer, w loci.When, f *store.Filter) (states, now []*loci.Memory) {
	for _, m := range h.rows {
		if s := h.then(m, w); s != nil && v.SeesAt(s, m, w, h.clock.now()) && passes(s, f) {
			states, now = append(states, s), append(now, m)
		}
	}
	return states, now
}

func (h *history) compareGet(ctx context.Context, tx store.Tx, v loci.Viewer, w loci.When) error {
	want, _ := h.seen(v, w, &store.Filter{})
	var got []*loci.Memory
	for id := range h.states {
		m, err := tx.Memories().GetAt(ctx, v, id, w)
		if err == nil {
			got = append(got, m)
		} else if loci.CodeOf(err) != loci.NotFound {
			return err
		}
	}
	byID := func(a, b *loci.Memory) int { return cmp.Compare(a.ID.String(), b.ID.String()) }
	slices.SortFunc(got, byID)
	slices.SortFunc(want, byID)
	h.differ(fmt.Sprintf("GetAt %+v", w), v, want, got)
	return nil
}

func (h *history) whenFilter(w loci.When) store.Filter {
	f := h.filter()
	if draw(h.t, "unfiltered", true, false) {
		f = store.Filter{}
	}
	f.Lifecycle, f.When = loci.LiveOnly, w
	return f
}

func (h *history) compareList(ctx context.Context, tx store.Tx, v loci.Viewer, w loci.When) error {
	q := store.ListQuery{Filter: h.whenFilter(w), Limit: rapid.IntRange(1, 5).Draw(h.t, "limit"), Total: true,
		Oldest: draw(h.t, "oldest", false, true)}
	want := h.oldest(v, w, &q.Filter)
	if !q.Oldest {
		slices.Reverse(want)
	}
	var got []*loci.Memory
	for first := true; first || q.After != ""; first = false {
		page, err := tx.Lists().List(ctx, v, q)
		if err != nil {
			return err
		}
		if page.Total != len(want) || !page.Exact {
			h.t.Fatalf("List for %+v counts %d, the rule %d; %+v", v, page.Total, len(want), q)
		}
		got, q.After = append(got, page.Memories...), page.Next
	}
	h.differ(fmt.Sprintf("List %+v", q), v, want, got)
	return nil
}

// oldest returns what List has, oldest first.
func (h *history) oldest(v loci.Viewer, w loci.When, f *store.Filter) (list []*loci.Memory) {
	states, now := h.seen(v, w, f)
	order := make([]int, len(states))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return now[a].CreatedAt.Compare(now[b].CreatedAt) })
	for _, i := range order {
		list = append(list, states[i])
	}
	return list
}
