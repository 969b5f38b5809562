package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// GraphOptions configure a run of RunGraph.
type GraphOptions struct {
	Common
	Entities     int      // that are there when writes are measured, with two observations each
	Observations int      // of a large graph, ten to an entity; 0 leaves it out
	Reference    []string // command of the reference memory server; empty leaves it out
}

type graphBencher struct {
	GraphOptions
	*bencher
}

// RunGraph measures a graph and returns one result per line, in order.
func RunGraph(ctx context.Context, o GraphOptions) ([]Result, error) {
	g := &graphBencher{GraphOptions: o, bencher: &bencher{}}
	parts := []func(context.Context) error{g.compare, g.clients, g.together}
	if o.Observations > 0 {
		parts = append(parts, g.large)
	}
	return g.run(ctx, parts...)
}

// entity is an entity to store, in the field names of both servers.
type graphEntity struct {
	Name         string   `json:"name"`
	Type         string   `json:"entityType"`
	Observations []string `json:"observations"`
}

func (c *corpus) entity(observations, words int) graphEntity {
	c.made++
	e := graphEntity{Name: fmt.Sprintf("%s %d", c.text(2), c.made), Type: c.words[c.made%20]}
	for range observations {
		e.Observations = append(e.Observations, c.text(words))
	}
	return e
}

func (e graphEntity) item() loci.NewEntity {
	return loci.NewEntity{EntityRef: loci.EntityRef{Name: e.Name, Type: e.Type}, Observations: e.Observations}
}

type timed struct{ create, search Sample }

// compare measures creation and search with the same number of entities: over MCP, in plain SQLite,
// and over MCP in the reference server.
func (g *graphBencher) compare(ctx context.Context) error {
	g.Progress("plain SQLite: the same rows, one transaction for each call")
	before, err := g.plain(ctx, "before")
	if err != nil {
		return err
	}
	g.Progress("loci mcp over stdio")
	ours, err := g.ours(ctx)
	if err != nil {
		return err
	}
	after, err := g.plain(ctx, "after")
	if err != nil {
		return err
	}
	at := fmt.Sprintf("at %d entities", g.Entities)
	own := (before.PerSecond + after.PerSecond) / 2
	g.add("plain SQLite, one entity a transaction, before", before, before.PerSecond, "entities/s")
	g.add("plain SQLite, one entity a transaction, after", after, after.PerSecond, "entities/s")
	g.add("create_entities over MCP, one a call, "+at, ours.create, ours.create.PerSecond/own, "× SQLite",
		Bar{"must", 0.4, false})
	g.add("search_nodes over MCP, two words, "+at, ours.search, ms(ours.search.P50), "ms p50")
	if len(g.Reference) == 0 {
		g.Progress("no --reference: not compared with the reference server")
		return nil
	}
	g.Progress("the reference server over stdio")
	theirs, err := g.theirs(ctx)
	if err != nil {
		return err
	}
	g.add("reference server, create_entities, "+at, theirs.create, theirs.create.PerSecond, "entities/s")
	g.add("reference server, search_nodes, a phrase, "+at, theirs.search, ms(theirs.search.P50), "ms p50")
	g.add("create_entities, ours to theirs", Sample{}, ours.create.PerSecond/theirs.create.PerSecond, "× reference",
		Bar{"goal", 50, false})
	g.add("search_nodes, words ours to phrase theirs", Sample{}, float64(theirs.search.P50)/float64(ours.search.P50),
		"× faster", Bar{"must", 10, false})
	return nil
}

func (g *graphBencher) plain(ctx context.Context, name string) (Sample, error) {
	p, err := sqlite.OpenPlainGraph(filepath.Join(g.Dir, "plain-"+name+".db"))
	if err != nil {
		return Sample{}, err
	}
	c := newCorpus(1, loci.NewUserID())
	for left := g.Entities; left > 0 && err == nil; left -= fillBatch {
		items := make([]loci.NewEntity, min(fillBatch, left))
		for i := range items {
			items[i] = c.entity(2, 12).item()
		}
		err = p.Insert(items)
	}
	if err != nil {
		return Sample{}, errors.Join(err, p.Close())
	}
	s, err := run(ctx, 1, g.Step, func(context.Context, int) (time.Duration, error) {
		return 0, p.Insert([]loci.NewEntity{c.entity(2, 12).item()})
	})
	return s, errors.Join(err, p.Close())
}

// fillBatch is the number of entities per call that isn't measured.
const fillBatch = 500

func (g *graphBencher) ours(ctx context.Context) (timed, error) {
	s, err := g.startOurs(ctx, filepath.Join(g.Dir, "compare"))
	if err != nil {
		return timed{}, err
	}
	if err := s.call("create_project", map[string]any{"name": benchProject}, nil); err != nil {
		return timed{}, errors.Join(err, s.stop())
	}
	// Use two words that aren't adjacent: the reference server wouldn't find them.
	t, err := g.drive(ctx, s, func(words []string) string { return words[7] + " " + words[2] })
	return t, errors.Join(err, s.stop())
}

const benchProject = "bench"

func (g *graphBencher) startOurs(ctx context.Context, dir string) (*mcpServer, error) {
	command := []string{g.Binary, "mcp", "--data-dir", dir, "--toolsets", "graph", "--project", benchProject, "--vendor",
		"claude"}
	return startMCP(ctx, command, []string{"HOME=" + g.Dir, "LOCI_LOG_LEVEL=error"}, false)
}

func (g *graphBencher) theirs(ctx context.Context) (timed, error) {
	file := filepath.Join(g.Dir, "reference.jsonl")
	s, err := startMCP(ctx, g.Reference, []string{"MEMORY_FILE_PATH=" + file}, true)
	if err != nil {
		return timed{}, err
	}
	t, err := g.drive(ctx, s, func(words []string) string { return words[2] + " " + words[3] })
	return t, errors.Join(err, s.stop())
}

// fill stores what exists when searches and writes are measured, and returns its texts.
func (g *graphBencher) fill(c *corpus, call caller) (texts []string, err error) {
	for left := g.Entities; left > 0; left -= fillBatch {
		items := make([]graphEntity, min(fillBatch, left))
		for i := range items {
			items[i] = c.entity(2, 12)
			texts = append(texts, items[i].Observations...)
		}
		if err := call("create_entities", map[string]any{"entities": items}, nil); err != nil {
			return texts, err
		}
	}
	return texts, nil
}

// drive makes the same calls to either server: fill, search, create one by one. It searches first,
// because the faster server creates more entities.
func (g *graphBencher) drive(ctx context.Context, s *mcpServer, query func([]string) string) (t timed, err error) {
	c := newCorpus(1, loci.NewUserID())
	texts, err := g.fill(c, s.call)
	if err != nil {
		return t, err
	}
	t.search, err = run(ctx, 1, g.Step, func(context.Context, int) (time.Duration, error) {
		return 0, s.mustFind(query(strings.Fields(texts[c.random.IntN(len(texts))])))
	})
	if err != nil {
		return t, err
	}
	t.create, err = run(ctx, 1, g.Step, func(context.Context, int) (time.Duration, error) {
		return 0, s.call("create_entities", oneEntity(c.entity(2, 12)), nil)
	})
	return t, err
}

// mustFind searches for an existing entity.
func (s *mcpServer) mustFind(query string) error {
	var found struct{ Entities []struct{ Name string } }
	if err := s.call("search_nodes", map[string]any{"query": query}, &found); err != nil {
		return err
	}
	if len(found.Entities) == 0 {
		return fmt.Errorf("search_nodes found nothing for %q", query)
	}
	return nil
}
