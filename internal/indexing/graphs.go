package indexing

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// Graphs are the indexes of the graphs of projects. It is safe for concurrent use, as an Index is.
type Graphs struct {
	// Each runs and describes them. Its methods for an org do nothing useful, because each project has an index.
	Each *Index
}

// ofProject names the index of a project as that of an org.
func ofProject(org loci.OrgID, project loci.ProjectID) loci.OrgID {
	return org + "/" + loci.OrgID(project.String())
}

func split(key loci.OrgID) (loci.OrgID, loci.ProjectID) {
	org, project, _ := strings.Cut(string(key), "/")
	id, _ := loci.ParseMemoryID(project) // another name of a directory is that of no project
	return loci.OrgID(org), loci.ProjectID(id)
}

// NewGraphs returns the Graphs of a store. It reads and writes nothing yet. Run follows only the graphs in use.
func NewGraphs(o Options) *Graphs {
	x := newIndex(o)
	x.one, x.many, x.onlyUsed, x.filed = "text", "texts", true, "*/*"
	x.view = func(ctx context.Context, key loci.OrgID, fn func(rows) error) error {
		org, project := split(key)
		entered := false
		err := x.store.ViewProject(ctx, org, project, func(tx store.GraphTx) error {
			entered = true
			return fn(texts{tx.Texts(), key})
		})
		if !entered && loci.CodeOf(err) == loci.Conflict { // it is archived
			return loci.NoSuchProject()
		}
		return err
	}
	x.gone = func(ctx context.Context, key loci.OrgID) bool {
		org, project := split(key)
		list, err := x.store.Projects().WithGraphs(ctx, org, []loci.ProjectID{project})
		return err == nil && len(list) == 0
	}
	return &Graphs{x}
}

// View runs fn in one transaction on the graph of a project, with its index. That has everything that the transaction
// sees, unless it is not Whole, because it was so far behind that Await took too long.
func (g *Graphs) View(ctx context.Context, org loci.OrgID, project loci.ProjectID,
	fn func(store.GraphTx, *Snapshot) error) error {
	key := ofProject(org, project)
	behind, err := g.view(ctx, key, fn, false)
	if behind {
		if _, err := g.Each.Await(ctx, key); err != nil {
			return err
		}
		_, err = g.view(ctx, key, fn, true)
	}
	return err
}

var errBehind = errors.New("the index is behind")

// view reports that the index is behind, instead of running fn, unless partial is set. The lock comes before the
// transaction, as in goOn: there may be fewer readers of a graph than searches.
func (g *Graphs) view(ctx context.Context, key loci.OrgID, fn func(store.GraphTx, *Snapshot) error, partial bool) (
	behind bool, err error) {
	g.Each.Touch(key)
	o := g.Each.of(key)
	if !o.lock(ctx) {
		return false, ctx.Err()
	}
	unlock := sync.OnceFunc(o.unlock)
	defer unlock()
	org, project := split(key)
	err = g.Each.store.ViewProject(ctx, org, project, func(tx store.GraphTx) error {
		short, cancel := context.WithTimeout(ctx, g.Each.limits.stint)
		defer cancel()
		if err := o.follow(short, texts{tx.Texts(), key}); err != nil && short.Err() == nil {
			return err
		}
		words := o.snapshot()
		if o.wantsUpkeep() {
			g.Each.wake()
		}
		if unlock(); !words.Whole && !partial {
			return errBehind
		}
		return fn(tx, words)
	})
	if errors.Is(err, errBehind) {
		return true, nil
	}
	return false, err
}

// manyTexts is after how many texts Run need not wait for more.
const manyTexts = 100

// Touch tells Run that so many texts of a graph, or some more, have changed.
func (g *Graphs) Touch(org loci.OrgID, project loci.ProjectID, texts int) {
	if g.Each.Touch(ofProject(org, project)); texts >= manyTexts {
		g.Each.wake()
	}
}

// Complete is Index.Complete for the graph of a project.
func (g *Graphs) Complete(ctx context.Context, org loci.OrgID, project loci.ProjectID) {
	g.Each.Complete(ctx, ofProject(org, project))
}

// Forget writes the files again that have words of earlier texts of a graph.
func (g *Graphs) Forget(ctx context.Context, org loci.OrgID, project loci.ProjectID) {
	key := ofProject(org, project)
	if _, err := g.Each.Await(ctx, key); err == nil {
		g.Each.upkeep(ctx, g.Each.of(key), true, 0)
	}
}

// DropProject removes the index of the graph of a project.
func (g *Graphs) DropProject(ctx context.Context, org loci.OrgID, project loci.ProjectID) {
	g.Each.Drop(ctx, ofProject(org, project))
}

// Drop removes the indexes of an org.
func (g *Graphs) Drop(ctx context.Context, org loci.OrgID) {
	keys := g.Each.listFiled(string(org) + "/*")
	for _, o := range g.Each.open() {
		if strings.HasPrefix(string(o.org), string(org)+"/") {
			keys = append(keys, o.org)
		}
	}
	for _, key := range keys {
		g.Each.Drop(ctx, key)
	}
}

// of calls fn with the key of each active project of an org that has a graph.
func (g *Graphs) of(ctx context.Context, org loci.OrgID, fn func(loci.OrgID, loci.ProjectID) error) error {
	ids, err := g.Each.store.ProjectMembers().All(ctx, org, loci.WorkspaceID{})
	if err == nil {
		ids, err = g.Each.store.Projects().WithGraphs(ctx, org, ids)
	}
	for i := 0; i < len(ids) && err == nil; i++ {
		if err = fn(ofProject(org, ids[i]), ids[i]); loci.CodeOf(err) == loci.NotFound {
			err = nil // it was deleted or archived meanwhile
		}
	}
	return err
}

// Rebuild is Index.Rebuild for all graphs of an org.
func (g *Graphs) Rebuild(ctx context.Context, org loci.OrgID) error {
	return g.of(ctx, org, func(key loci.OrgID, _ loci.ProjectID) error { return g.Each.Rebuild(ctx, key) })
}

// Verify is Index.Verify for all graphs of an org.
func (g *Graphs) Verify(ctx context.Context, org loci.OrgID) (problems []string, err error) {
	err = g.of(ctx, org, func(key loci.OrgID, project loci.ProjectID) error {
		list, err := g.Each.Verify(ctx, key)
		for _, problem := range list {
			problems = append(problems, "project "+project.String()+": "+problem)
		}
		return err
	})
	return problems, err
}

// Stats describes the indexes of all graphs of an org as one.
func (g *Graphs) Stats(ctx context.Context, org loci.OrgID) (sum Stats, err error) {
	sum.Whole = true
	err = g.of(ctx, org, func(key loci.OrgID, _ loci.ProjectID) error {
		s, err := g.Each.Stats(ctx, key)
		sum.Files, sum.Bytes, sum.Rows = sum.Files+s.Files, sum.Bytes+s.Bytes, sum.Rows+s.Rows
		sum.Gone, sum.Memory, sum.Whole = sum.Gone+s.Gone, sum.Memory+s.Memory, sum.Whole && s.Whole
		return err
	})
	if filed := sum.Rows - sum.Memory; filed > 0 {
		sum.BytesPerRow = float64(sum.Bytes) / float64(filed)
	}
	return sum, err
}

// texts are the texts of a graph as one transaction sees them.
type texts struct {
	store.Texts
	key loci.OrgID
}

func (s texts) end(ctx context.Context) (store.Position, error) { return s.End(ctx) }

func (s texts) changed(ctx context.Context, o *orgIndex) (changes, error) {
	c, err := s.Changed(ctx, o.at)
	out := changes{next: c.Next, more: c.More, ahead: c.Ahead}
	if len(c.Texts)+len(c.Changed) > 0 {
		p := &placing{rows: s, out: map[rowID]bool{}, erased: map[rowID]bool{}}
		for _, id := range c.Changed {
			p.out[id] = true
		}
		for i := range c.Texts {
			p.out[c.Texts[i].ID] = true
		}
		for _, id := range c.Erased {
			p.erased[id] = true
		}
		out.apply = func() error { return o.place(ctx, p, textRows(c.Texts)) }
	}
	return out, err
}

func (s texts) read(ctx context.Context, _ *orgIndex, ids []rowID) ([]index.Row, map[rowID]bool, error) {
	list, err := s.Read(ctx, converted[[16]byte](ids))
	return textRows(list), without(ids, list, func(t store.GraphText) rowID { return t.ID }), err
}

func (s texts) next(ctx context.Context, _ *orgIndex, w *walk) ([]listedRow, func() []index.Row, error) {
	list, next, err := s.List(ctx, store.Position(w.rest), buildBatch)
	if err != nil {
		return nil, nil, err
	}
	w.rest, w.highest = string(next), w.highest+int64(len(list))
	loci.ReportProgress(ctx, loci.Progress{Stage: "reading the graphs of " + filepath.Dir(string(s.key)), Done: w.highest})
	rows := textRows(list)
	return listOf(rows), func() []index.Row { return rows }, nil
}

func textRows(list []store.GraphText) []index.Row {
	rows := make([]index.Row, len(list))
	for i := range list {
		t := &list[i]
		rows[i] = recall.GraphRow(t.ID, t.Entity, t.Name, t.Type, t.Content, t.AllowedVendors, t.CreatedAt)
	}
	return rows
}
