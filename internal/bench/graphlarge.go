package bench

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// together lets several processes write to the project of compare, and then counts the entities.
func (g *graphBencher) together(ctx context.Context) (err error) {
	g.Progress(fmt.Sprintf("%d processes write to one project", g.Clients))
	dir := filepath.Join(g.Dir, "compare")
	clients := make([]*mcpServer, g.Clients)
	sources := make([]*corpus, len(clients))
	for i := range clients {
		if clients[i], err = g.startOurs(ctx, dir); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, clients[i].stop()) }()
		sources[i] = newCorpus(uint64(i)+100, loci.NewUserID())
		sources[i].made = (i + 1) * 10_000_000 // a separate range of names
	}
	before, err := clients[0].count()
	if err != nil {
		return err
	}
	var told atomic.Int64
	sample, err := run(ctx, len(clients), g.Step, func(_ context.Context, i int) (time.Duration, error) {
		err := clients[i].call("create_entities", oneEntity(sources[i].entity(2, 12)), nil)
		if err == nil {
			told.Add(1)
		}
		return 0, err
	})
	if err != nil {
		return err
	}
	after, err := clients[0].count()
	if err != nil {
		return err
	}
	g.add(fmt.Sprintf("create_entities, %d processes, one project", len(clients)), sample, sample.PerSecond, "entities/s")
	g.add("acknowledged and lost", Sample{}, float64(before+int(told.Load())-after), "entities", Bar{"must", 0, true})
	return nil
}

// count returns the number of entities in the graph.
func (s *mcpServer) count() (int, error) {
	var page struct {
		Entities []struct{ Name string }
		Left     int
	}
	err := s.call("read_graph", map[string]any{"limit": 1}, &page)
	return len(page.Entities) + page.Left, err
}

// perEntity is the number of observations of each entity in the large graph.
const perEntity = 10

// large searches a large graph on a separate server, and uses the server's own time.
func (g *graphBencher) large(ctx context.Context) error {
	g.Progress(fmt.Sprintf("storing %d observations", g.Observations))
	dir := filepath.Join(g.Dir, "large")
	project, texts, err := g.fillLarge(ctx, dir)
	if err != nil {
		return err
	}
	return g.serve(ctx, "large", func(s *server) error {
		bytes, err := bytesOf(filepath.Join(dir, "projects"))
		if err != nil {
			return err
		}
		g.add(fmt.Sprintf("size of %d observations", g.Observations), Sample{}, float64(bytes)/(1<<20), "MB")
		g.add("resident memory before", Sample{}, float64(s.resident())/(1<<20), "MB")
		err = g.largeSteps(ctx, s, "/api/v1/projects/"+project.String()+"/graph", texts)
		g.add("resident memory after", Sample{}, float64(s.resident())/(1<<20), "MB", Bar{"must", 200, true})
		return err
	})
}

func (g *graphBencher) largeSteps(ctx context.Context, s *server, path string, texts [][2]string) error {
	c := newCorpus(2, loci.NewUserID())
	search := func(query func(words []string) string) func(*conn, int) (time.Duration, error) {
		return func(h *conn, _ int) (time.Duration, error) {
			words := strings.Fields(texts[c.random.IntN(len(texts))][1])
			return h.call("GET", path+"/search?limit=10&q="+url.QueryEscape(query(words)), personKey, nil)
		}
	}
	for _, step := range []struct {
		name string
		p50  bool
		bar  Bar
		op   func(*conn, int) (time.Duration, error)
	}{
		{"search, a AND b", false, Bar{"must", 30, true},
			search(func([]string) string { return c.word() + " AND " + c.word() })},
		{"search, a phrase", false, Bar{"must", 30, true},
			search(func(words []string) string { return `"` + words[3] + " " + words[4] + `"` })},
		{"search, a OR b", false, Bar{"goal", 30, true},
			search(func([]string) string { return c.word() + " OR " + c.word() })},
		{"search, the first three letters of a word", false, Bar{},
			search(func([]string) string { return c.word()[:3] + "*" })},
		{"open_nodes", true, Bar{"must", 0.5, true}, func(h *conn, _ int) (time.Duration, error) {
			return h.call("POST", path+"/open", personKey,
				map[string]any{"names": []string{texts[c.random.IntN(len(texts))][0]}})
		}},
	} {
		g.Progress(step.name)
		sample, err := s.load(ctx, 1, g.Step, step.op)
		if err != nil {
			return err
		}
		if !sample.ServerTimed {
			return fmt.Errorf("%s: the server reported no time", step.name)
		}
		value, unit := ms(sample.P95), "ms server time p95"
		var bars []Bar
		if step.bar.Name != "" {
			bars = append(bars, step.bar)
		}
		if step.p50 {
			value, unit = ms(sample.P50), "ms server time p50"
		}
		g.add(fmt.Sprintf("%s, %d observations", step.name, g.Observations), sample, value, unit, bars...)
	}
	return nil
}

// fillLarge returns the project, and the names of entities with one observation of each.
func (g *graphBencher) fillLarge(ctx context.Context, dir string) (id loci.ProjectID, texts [][2]string, err error) {
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: dir})
	if err != nil {
		return id, nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	org, err := firstOrg(ctx, st)
	if err != nil {
		return id, nil, err
	}
	p, err := st.Projects().Create(ctx,
		loci.Project{ID: loci.NewProjectID(), OrgID: org.ID, Name: benchProject, Status: loci.ProjectActive, Everyone: true},
		org.OwnerID)
	if err != nil {
		return id, nil, err
	}
	v := loci.Viewer{OrgID: org.ID, UserID: org.OwnerID, ProjectIDs: []loci.ProjectID{p.ID}}
	by := loci.GraphAccess{UserID: org.OwnerID, Origin: "claude", AllowedVendors: []loci.Vendor{loci.AnyVendor}}
	c := newCorpus(1, org.OwnerID)
	for left := g.Observations / perEntity; left > 0; left -= fillBatch {
		items := make([]loci.NewEntity, min(fillBatch, left))
		for i := range items {
			items[i] = c.entity(perEntity, 12).item()
		}
		texts = append(texts, [2]string{items[0].Name, items[0].Observations[perEntity/2]})
		err := st.UpdateProject(ctx, org.ID, p.ID, func(tx store.GraphTx) error {
			_, err := tx.Entities().Create(ctx, v, by, items)
			return err
		})
		if err != nil {
			return id, nil, err
		}
	}
	return p.ID, texts, nil
}
