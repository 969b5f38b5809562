package storetest

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// follower keeps the texts of a graph as an index does.
type follower struct {
	at   store.Position
	have map[[16]byte]store.GraphText
	gone map[[16]byte]bool
}

func (f *follower) follow(ctx context.Context, from store.Texts) error {
	for more := true; more; {
		c, err := from.Changed(ctx, f.at)
		if err != nil {
			return err
		}
		for _, id := range c.Changed {
			delete(f.have, id)
		}
		for _, text := range c.Texts {
			f.have[text.ID] = text
		}
		for _, id := range c.Erased {
			f.gone[id] = true
		}
		f.at, more = c.Next, c.More
	}
	return nil
}

// allTexts reads all live texts, page by page.
func (e *env) allTexts(ctx context.Context, from store.Texts) map[[16]byte]store.GraphText {
	list := map[[16]byte]store.GraphText{}
	for after, more := store.Position(""), true; more; more = after != "" {
		page, next, err := from.List(ctx, after, 2)
		if err != nil {
			e.Fatal(explain(err))
		}
		for _, text := range page {
			if _, twice := list[text.ID]; twice {
				e.Errorf("List has %+v twice", text)
			}
			list[text.ID] = text
		}
		after = next
	}
	return list
}

// Who follows the changes of a graph has the texts that are live, each with the vendors that see it and its entity.
func testGraphTexts(e *env) {
	for run := range 10 {
		m := &mirror{env: e, p: e.project(fmt.Sprint("p", run)), ids: map[string]int{}}
		m.v = e.in(m.p)
		f := follower{have: map[[16]byte]store.GraphText{}, gone: map[[16]byte]bool{}}
		random := rand.New(rand.NewPCG(uint64(run), 1))
		for step := range 25 {
			e.clock.move(time.Minute)
			n := [6]int{random.IntN(9), random.IntN(4), random.IntN(4), random.IntN(4), random.IntN(4), random.IntN(4)}
			access := by(m.v)
			access.AllowedVendors = [][]loci.Vendor{{"*"}, {"a"}, {"a", "b"}, {"b"}}[n[5]]
			m.act(access, n)
			m.learnAll()
			if len(m.known) > 0 && step%5 == 4 {
				m.limit(m.known[n[1]%len(m.known)], []loci.Vendor{"b"})
			}
			e.updateGraph(m.p, func(ctx context.Context, tx store.GraphTx) error {
				if step == 0 {
					var err error
					if f.at, err = tx.Texts().End(ctx); err != nil {
						return err
					}
					f.have = e.allTexts(ctx, tx.Texts())
				}
				if err := f.follow(ctx, tx.Texts()); err != nil {
					return err
				}
				want := m.live(ctx, tx)
				if diff := cmp.Diff(want, f.have); diff != "" {
					e.Fatalf("run %d, step %d, followed (-want +got):\n%s", run, step, diff)
				}
				if diff := cmp.Diff(want, e.allTexts(ctx, tx.Texts())); diff != "" {
					e.Fatalf("run %d, step %d, all (-want +got):\n%s", run, step, diff)
				}
				return nil
			})
		}
		if len(f.gone) > 0 {
			e.Errorf("%d texts count as erased", len(f.gone))
		}
	}
}

// learnAll remembers the live entities.
func (m *mirror) learnAll() {
	m.viewGraph(m.p, func(ctx context.Context, g store.Graph) error {
		page, err := g.Read(ctx, m.v, store.GraphQuery{Limit: 99})
		m.learn(page.Entities)
		return err
	})
}

func (m *mirror) limit(id loci.EntityID, vendors []loci.Vendor) {
	_ = m.tryGraph(m.p, func(ctx context.Context, tx store.GraphTx) error {
		_, err := tx.Entities().SetVendors(ctx, m.v, by(m.v), store.GraphIDs{Entities: []loci.EntityID{id}}, vendors)
		return err
	})
}

// live returns the live texts, from the rows.
func (m *mirror) live(ctx context.Context, tx store.GraphTx) map[[16]byte]store.GraphText {
	rows, _, err := tx.Graph().Rows(ctx, m.v, store.GraphQuery{Limit: 999})
	if err != nil {
		m.Fatal(explain(err))
	}
	list, vendors := map[[16]byte]store.GraphText{}, map[loci.EntityID][]loci.Vendor{}
	for _, x := range rows.Entities {
		vendors[x.ID] = x.AllowedVendors
		list[x.ID] = store.GraphText{ID: x.ID, Entity: x.ID, Name: x.Name, Type: x.Type, AllowedVendors: x.AllowedVendors,
			CreatedAt: x.CreatedAt}
	}
	for _, o := range rows.Observations {
		list[o.ID] = store.GraphText{ID: o.ID, Entity: o.EntityID, Content: o.Content, CreatedAt: o.CreatedAt,
			AllowedVendors: loci.Narrowed(o.AllowedVendors, vendors[o.EntityID])}
	}
	return list
}

// Positions are those of one graph. What is erased is named.
func testGraphTextPositions(e *env) {
	p, other := e.project("p"), e.project("other")
	v := e.in(p)
	first := e.putEntities(p, v, ent("Ada", "person", "my secret is here", "no word"))
	e.putEntities(other, e.in(other), ent("Bo", "person", "a", "b"))
	f := follower{have: map[[16]byte]store.GraphText{}, gone: map[[16]byte]bool{}}
	see := func(p loci.Project, fn func(context.Context, store.Texts) error) {
		e.Helper()
		if err := e.st.ViewProject(e.Context(), e.org, p.ID,
			func(tx store.GraphTx) error { return fn(e.Context(), tx.Texts()) }); err != nil {
			e.Error(explain(err))
		}
	}
	see(p, func(ctx context.Context, from store.Texts) (err error) {
		f.at, err = from.End(ctx)
		return err
	})
	end := f.at
	see(other, func(ctx context.Context, from store.Texts) error {
		if _, err := from.Changed(ctx, end); loci.CodeOf(err) != loci.Conflict {
			if c, _ := from.Changed(ctx, end); !c.Ahead {
				e.Errorf("the position of another graph: %+v, %v", c, err)
			}
		}
		for _, bad := range []store.Position{"", "x", "e"} {
			if _, err := from.Changed(ctx, bad); loci.CodeOf(err) != loci.Invalid {
				e.Errorf("Changed after %q: %v", bad, err)
			}
		}
		for _, bad := range []store.Position{"x", "e", "x1"} {
			if _, _, err := from.List(ctx, bad, 1); loci.CodeOf(err) != loci.Invalid {
				e.Errorf("List after %q: %v", bad, err)
			}
		}
		return nil
	})
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		return tx.Entities().SettleSecrets(ctx, e.user, store.GraphIDs{}, func(s string) string {
			if s == "my secret is here" {
				return "[removed]"
			}
			return s
		})
	})
	see(p, func(ctx context.Context, from store.Texts) error {
		err := f.follow(ctx, from)
		if id := first[0].Added[0].ID; !f.gone[id] || len(f.gone) != 1 || f.have[id].Content != "[removed]" {
			e.Errorf("after secrets were removed: %+v", f)
		}
		return err
	})
	if again := slices.Collect(maps.Keys(f.have)); len(again) != 1 {
		e.Errorf("%d texts changed, want 1", len(again))
	}
}

// A new entity comes with other names that look the same, as far as the viewer sees them.
func testGraphLooks(e *env) {
	p := e.project("p")
	v := e.in(p)
	agent := v
	agent.Vendor = "claude"
	hidden := by(v)
	hidden.AllowedVendors = []loci.Vendor{"other"}
	for _, tt := range []struct {
		v     loci.Viewer
		by    loci.GraphAccess
		name  string
		alike []string
	}{
		{v, by(v), "Straße Nord", nil}, {v, by(v), "straße  nord", []string{"Straße Nord"}}, {v, by(v), "МОСКВА", nil},
		{agent, by(agent), "москва", []string{"МОСКВА"}}, {v, hidden, "Open AI", nil}, {agent, by(agent), "open ai", nil},
		{v, by(v), "OPEN  AI", []string{"Open AI", "open ai"}}, {v, by(v), "OpenAI", nil},
	} {
		e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			put, err := tx.Entities().Create(ctx, tt.v, tt.by, []loci.NewEntity{ent(tt.name, "x")})
			slices.Sort(put[0].Alike)
			if !slices.Equal(put[0].Alike, tt.alike) {
				e.Errorf("%s: got %q, want %q", tt.name, put[0].Alike, tt.alike)
			}
			return err
		})
	}
}
