package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// mirror is one vendor's view of a project: what it does and is told, with the
// ids by the order in which it came to know them.
type mirror struct {
	*env
	p     loci.Project
	v     loci.Viewer
	ids   map[string]int
	known []loci.EntityID
	told  strings.Builder
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// tell writes down an answer.
func (m *mirror) tell(what string, answer any, err error) {
	b, fails := json.Marshal(answer)
	if fails != nil {
		m.Fatal(fails)
	}
	text := uuid.ReplaceAllStringFunc(fmt.Sprintf("%s: %s %v\n", what, b, explain(err)), func(id string) string {
		if _, ok := m.ids[id]; !ok {
			m.ids[id] = len(m.ids)
		}
		return fmt.Sprint("#", m.ids[id])
	})
	m.told.WriteString(strings.ReplaceAll(text, m.p.Name, "P"))
}

// learn remembers entities that it saw.
func (m *mirror) learn(list []loci.Entity) {
	for _, e := range list {
		if !slices.Contains(m.known, e.ID) {
			m.known = append(m.known, e.ID)
		}
	}
}

// act does one thing that is drawn as numbers, so that two mirrors do the same.
func (m *mirror) act(by loci.GraphAccess, n [6]int) {
	name, other := fmt.Sprint("name ", n[1]), fmt.Sprint("name ", n[2])
	kind, text := []string{"t", "u"}[n[3]%2], fmt.Sprint("text ", n[4])
	id := func(i int) loci.EntityID { return m.known[i%len(m.known)] }
	var out any
	err := m.tryGraph(m.p, func(ctx context.Context, tx store.GraphTx) (err error) {
		entities, ref := tx.Entities(), loci.EntityRef{Name: name}
		switch {
		case n[0] <= 1 || len(m.known) == 0:
			out, err = entities.Create(ctx, m.v, by, []loci.NewEntity{ent(name, kind, text), ent(other, "t")})
		case n[0] == 2:
			out, err = entities.Observe(ctx, m.v, by, []loci.Contents{{Entity: ref, Contents: []string{text, "text 0"}}})
		case n[0] == 3:
			out, err = entities.Relate(ctx, m.v, by, []loci.NewRelation{rel(name, kind, other)})
		case n[0] == 4:
			out, err = entities.Delete(ctx, m.v, by, []loci.EntityRef{ref})
		case n[0] == 5:
			out, err = entities.DeleteObservations(ctx, m.v, by, []loci.Contents{{Entity: ref, Contents: []string{text}}})
		case n[0] == 6:
			out, err = entities.DeleteRelations(ctx, m.v, by, []loci.NewRelation{rel(name, kind, other)})
		case n[0] == 7:
			out, err = entities.Merge(ctx, m.v, by, id(n[1]), id(n[2]))
		default:
			var trash store.GraphTrash
			if trash, err = tx.Graph().Trash(ctx, m.v, 99); err == nil {
				out, err = entities.Restore(ctx, m.v, by, some(&trash, n[1]))
			}
		}
		return err
	})
	m.tell(fmt.Sprint("act ", n), out, err)
}

// some is one row of the trash.
func some(t *store.GraphTrash, n int) (ids store.GraphIDs) {
	switch all := len(t.Entities) + len(t.Observations) + len(t.Relations); {
	case all == 0:
		ids.Entities = []loci.EntityID{{1}}
	case n%all < len(t.Entities):
		ids.Entities = []loci.EntityID{t.Entities[n%all].ID}
	case n%all < len(t.Entities)+len(t.Observations):
		ids.Observations = []loci.ObservationID{t.Observations[n%all-len(t.Entities)].ID}
	default:
		ids.Relations = []loci.RelationID{t.Relations[n%all-len(t.Entities)-len(t.Observations)].ID}
	}
	return ids
}

// look asks everything that can be asked.
func (m *mirror) look() {
	m.viewGraph(m.p, func(ctx context.Context, g store.Graph) error {
		var names []string
		for i := range 4 {
			names = append(names, fmt.Sprint("name ", i))
		}
		list, err := g.Find(ctx, m.v, named(names...))
		m.learn(list)
		m.tell("find", list, err)
		for q := (store.GraphQuery{Limit: 2}); ; {
			page, err := g.Read(ctx, m.v, q)
			m.tell("read", page, err)
			if q.After = page.Next; err != nil || q.After == "" {
				break
			}
		}
		trash, err := g.Trash(ctx, m.v, 99)
		m.learn(trash.Entities)
		m.tell("trash", trash, err)
		m.lookAt(ctx, g)
		rows, next, err := g.Rows(ctx, m.v, store.GraphQuery{Limit: 99})
		m.tell("rows", []any{rows, next}, err)
		near, err := g.Suggest(ctx, m.v, "name x", 9)
		m.tell("suggest", near, err)
		return nil
	})
}

// lookAt asks for each entity that it ever saw.
func (m *mirror) lookAt(ctx context.Context, g store.Graph) {
	for _, id := range m.known {
		history, err := g.History(ctx, m.v, id, 99)
		m.tell("history", history, err)
		near, err := g.Neighbours(ctx, m.v, id, 3, 9)
		m.tell("neighbours", near, err)
		observations, err := g.Observations(ctx, m.v, id, store.GraphQuery{Limit: 1})
		m.tell("observations", observations, err)
		relations, err := g.Relations(ctx, m.v, id, store.GraphQuery{Limit: 1})
		m.tell("relations", relations, err)
	}
}

// hide does one thing as another vendor that only it may see.
func (m *mirror) hide(v loci.Viewer, n [6]int) {
	access := by(v)
	name, other := fmt.Sprint("name ", n[1]), fmt.Sprint("name ", n[2])
	_ = m.tryGraph(m.p, func(ctx context.Context, tx store.GraphTx) error {
		entities, g := tx.Entities(), tx.Graph()
		var refs []loci.EntityRef
		for i := range 4 {
			refs = append(refs, loci.EntityRef{Name: fmt.Sprint("name ", (n[5]+i)%4), Type: "hidden"})
		}
		own, err := g.Find(ctx, v, refs)
		if err != nil {
			return err
		}
		switch {
		case n[0] <= 2 || len(own) == 0:
			_, err = entities.Create(ctx, v, access,
				[]loci.NewEntity{ent(name, []string{"hidden", "t"}[n[3]%2], "hidden", fmt.Sprint("text ", n[4]))})
		case n[0] <= 4:
			_, err = entities.Relate(ctx, v, access,
				[]loci.NewRelation{{From: loci.EntityRef{Name: name, Type: "hidden"}, Type: "u", To: loci.EntityRef{Name: other}},
					rel(other, "t", other)})
		case n[0] == 5:
			_, err = entities.Delete(ctx, v, access, []loci.EntityRef{{Name: name, Type: "hidden"}})
		case n[0] == 6:
			_, err = entities.DeleteObservations(ctx, v, access,
				[]loci.Contents{{Entity: loci.EntityRef{Name: other}, Contents: []string{"hidden"}}})
		case n[0] == 7:
			var into []loci.Entity
			if into, err = g.Find(ctx, v, []loci.EntityRef{{Name: other, Type: []string{"t", "u"}[n[3]%2]}}); err == nil &&
				len(into) > 0 {
				_, err = entities.Merge(ctx, v, access, own[0].ID, into[0].ID)
			}
		default:
			var trash store.GraphTrash
			if trash, err = g.Trash(ctx, v, 99); err == nil {
				for _, e := range trash.Entities {
					if e.Type == "hidden" {
						_, err = entities.Restore(ctx, v, access, store.GraphIDs{Entities: []loci.EntityID{e.ID}})
						break
					}
				}
			}
		}
		return err
	})
}

// mirrorRuns is how many stories are played; each takes dozens of transactions.
const mirrorRuns = 30

// What a vendor does in a graph and is told of it is the same, whether or not
// another one has rows there that it may not see.
func testGraphMirror(e *env) {
	for run := range mirrorRuns {
		alone := &mirror{env: e, p: e.project(fmt.Sprint("alone", run)), ids: map[string]int{}}
		beside := &mirror{env: e, p: e.project(fmt.Sprint("beside", run)), ids: map[string]int{}}
		for _, m := range []*mirror{alone, beside} {
			m.v = e.in(m.p)
			m.v.Vendor = "a"
		}
		playMirrors(alone, beside, rand.New(rand.NewPCG(uint64(run), 1)))
	}
}

func playMirrors(alone, beside *mirror, random *rand.Rand) {
	six := func() (n [6]int) {
		n[0] = random.IntN(9)
		for i := range n[1:] {
			n[i+1] = random.IntN(4)
		}
		return n
	}
	stranger := beside.v
	stranger.Vendor = "b"
	for range 10 {
		beside.clock.move(time.Minute)
		for range random.IntN(4) {
			beside.hide(stranger, six())
		}
		beside.clock.move(time.Minute)
		n, access := six(), by(alone.v)
		access.AllowedVendors = [][]loci.Vendor{{"*"}, {"a"}, {"a", "b"}, {"*"}}[n[5]]
		for _, m := range []*mirror{alone, beside} {
			m.act(access, n)
			m.look()
		}
		if diff := cmp.Diff(strings.Split(alone.told.String(), "\n"), strings.Split(beside.told.String(), "\n")); diff != "" {
			beside.Fatalf("in %s, what another vendor hid shows (-without +with it):\n%s", beside.p.Name, diff)
		}
		alone.told.Reset()
		beside.told.Reset()
	}
}

// An answer has its bounds however large what is asked for is.
func testGraphAnswerLimits(e *env) {
	p := e.project("p")
	v := e.in(p)
	var names []string
	for i := range 6 {
		names = append(names, fmt.Sprint("name ", i))
		items := make([]loci.NewEntity, loci.MaxGraphItems)
		for k := range items {
			items[k] = ent(names[i], fmt.Sprint("t", k))
		}
		e.putEntities(p, v, items...)
	}
	find := func(names ...string) (list []loci.Entity, err error) {
		err = e.st.ViewProject(e.Context(), p.OrgID, p.ID, func(tx store.GraphTx) (err error) {
			list, err = tx.Graph().Find(e.Context(), v, named(names...))
			return err
		})
		return list, err
	}
	if list, err := find(names[:5]...); err != nil || len(list) != store.MaxFound {
		e.Errorf("found %d, %v", len(list), err)
	}
	_, err := find(names...)
	e.wantCode("more", err, loci.Invalid)
	e.putEntities(p, v, ent("big", "x"), ent("hub", "x"))
	e.hang(p, v, "big", 0, 15, 90_000)
	for range 2 { // it shows no more at a time, either
		e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			_, err := tx.Entities().DeleteObservations(ctx, v, by(v),
				[]loci.Contents{{Entity: loci.EntityRef{Name: "big"}, Contents: e.observationsOf(p, v, "big")}})
			return err
		})
	}
	e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
		trash, err := g.Trash(ctx, v, 99)
		if len(trash.Observations) != 12 || !trash.More {
			e.Errorf("the trash has %d observations, more %v", len(trash.Observations), trash.More)
		}
		return err
	})
}

// Of a merge, only those learn who may see both entities.
func testGraphUnseenMerge(e *env) {
	p := e.project("p")
	v := e.in(p)
	a, b := v, v
	a.Vendor, b.Vendor = "a", "b"
	shared := e.as(p, b, []loci.Vendor{"*"}, ent("shared", "t"), ent("given up", "t"))
	hidden := e.as(p, b, []loci.Vendor{"b"}, ent("secret", "t", "x"), ent("other secret", "t"))
	for _, ids := range [][2]loci.EntityID{{hidden[0], shared[0]}, {shared[1], hidden[1]}} {
		if _, err := e.merge(p, b, ids[0], ids[1]); err != nil {
			e.Fatal(err)
		}
	}
	e.wantList("shared, to a", e.history(p, a, shared[0]), "entity created b shared")
	e.wantList("given up, to a", e.history(p, a, shared[1]), "entity created b given up", "entity deleted b given up")
	e.wantList("shared, to b", e.history(p, b, shared[0]), "entity created b shared", "observation created b x",
		"entity merged b secret into shared")
}
