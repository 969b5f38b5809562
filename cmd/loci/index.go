package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/org"
)

func (p *program) indexCommand() *cobra.Command {
	return group("index", "Rebuild, verify and describe the index that searches read",
		`Rebuild, verify and describe the indexes that searches read. Each org has one of its
memories, one of its events, one of the graph of each project, and vectors of its
memories if a model of embeddings is in use. Loci keeps them up to date by itself and
builds them if they are missing, so these commands are for doubts, and for measuring.
They work while a server runs.`,
		p.indexRebuildCommand(), p.indexVerifyCommand(), p.indexStatsCommand())
}

// indexing completes a command about the indexes of the org that --org names, or of all.
func (p *program) indexing(cmd *cobra.Command, do func(context.Context, *instance, []loci.Org) error) *cobra.Command {
	cmd.Annotations = does(org.List)
	return p.acting(onlyOrg, cmd, func(ctx context.Context, c *call) error {
		orgs, err := c.orgs(ctx, c.actor.org)
		if err != nil {
			return err
		}
		return do(ctx, c.instance, orgs)
	})
}

type namedIndex struct {
	of      string // memories, events, graphs or vectors
	rebuild func(context.Context, loci.OrgID) error
	verify  func(context.Context, loci.OrgID) (problems []string, err error)
	stats   func(context.Context, loci.OrgID) ([]indexJSON, error)
}

func (in *instance) indexes() []namedIndex {
	v := in.app.Vectors
	return []namedIndex{ofWords("memories", in.app.Index), ofWords("events", in.app.Event.Index()),
		ofWords("graphs", in.app.Graphs), {"vectors", v.Rebuild, v.Verify, in.vectorStats}}
}

// vectorStats describes the vectors of an org by model. It also has the model in use before that has any vectors.
func (in *instance) vectorStats(ctx context.Context, id loci.OrgID) (list []indexJSON, err error) {
	sets, err := in.app.Vectors.Stats(ctx, id)
	begun := in.models.Chosen() == embed.Off
	for _, s := range sets {
		x := indexJSON{Org: id, Of: "vectors", Stats: indexing.Stats{Files: 1, Bytes: s.Bytes, Rows: s.Done,
			Whole: s.Complete, BytesPerRow: float64(s.Bytes) / float64(max(s.All, 1))},
			Model: s.Model, Dims: s.Dims, InUse: in.models.IsChosen(s.Model), Waiting: s.Waiting, all: s.All}
		begun = begun || x.InUse
		list = append(list, x)
	}
	if err != nil || begun {
		return list, err
	}
	words, err := in.app.Index.Stats(ctx, id)
	if words.Rows > 0 {
		list = append(list, indexJSON{Org: id, Of: "vectors", Model: in.models.Chosen(), InUse: true, Waiting: words.Rows,
			all: words.Rows})
	}
	return list, err
}

func ofWords(of string, x interface {
	Rebuild(ctx context.Context, org loci.OrgID) error
	Verify(ctx context.Context, org loci.OrgID) ([]string, error)
	Stats(ctx context.Context, org loci.OrgID) (indexing.Stats, error)
}) namedIndex {
	return namedIndex{of, x.Rebuild, x.Verify, func(ctx context.Context, id loci.OrgID) ([]indexJSON, error) {
		s, err := x.Stats(ctx, id)
		return []indexJSON{{Org: id, Of: of, Stats: s}}, err
	}}
}

// flush writes the indexes to their files at the end of a process.
func (in *instance) flush(ctx context.Context) {
	for _, x := range in.wordIndexes() {
		x.Flush(ctx)
	}
}

func (in *instance) wordIndexes() []*indexing.Index {
	return []*indexing.Index{in.app.Index, in.app.Event.Index(), in.app.Graphs.Each}
}

type indexJSON struct {
	Org loci.OrgID `json:"org"`
	Of  string     `json:"of"` // memories, events, graphs or vectors
	indexing.Stats
	Model   string `json:"model,omitempty"`      // of vectors
	Dims    int    `json:"dimensions,omitempty"` // of vectors
	InUse   bool   `json:"in_use,omitempty"`     // whether the settings name the model
	Waiting int    `json:"waiting,omitempty"`    // memories whose vectors must be made
	all     int    // memories that have a vector or wait for one
}

func (p *program) indexRebuildCommand() *cobra.Command {
	return p.indexing(&cobra.Command{
		Use: "rebuild", Short: "Build the indexes again from the memories, events and graphs",
		Long: `Build the indexes again from the memories, events and graphs, and replace their files. Searches
go on meanwhile. A running server takes over the new files within ten seconds. With a model
in use, this makes all vectors again: an endpoint gets the texts of all memories once more.
If the endpoint does not answer, the vectors that there are stay.`,
	}, func(ctx context.Context, in *instance, orgs []loci.Org) error {
		err := p.follow(ctx, func(ctx context.Context) error {
			for _, o := range orgs {
				for _, x := range in.indexes() {
					if err := x.rebuild(ctx, o.ID); err != nil {
						return fmt.Errorf("cannot rebuild the index of the %s of %s: %w", x.of, o.ID, err)
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return p.printIndexes(ctx, in, orgs)
	})
}

func (p *program) indexStatsCommand() *cobra.Command {
	return p.indexing(&cobra.Command{
		Use: "stats", Short: "Show how large the indexes are, and whether they are complete",
		Long: `Show how large the indexes are, and whether they are complete. GONE counts rows in files
that have changed or gone since; the next merge drops them. MEMORY counts those that are
not in files yet: Loci writes them when there are about 1,000. With a model of embeddings,
"vectors" are those of the memories, and WAITING counts memories whose vectors Loci has yet
to make. After a change of the model, those of both are there for some time.`,
	}, p.printIndexes)
}

func (p *program) printIndexes(ctx context.Context, in *instance, orgs []loci.Org) error {
	var list []indexJSON
	for _, o := range orgs {
		for _, x := range in.indexes() {
			some, err := x.stats(ctx, o.ID)
			if err != nil {
				return err
			}
			list = append(list, some...)
		}
	}
	return printList(p, "indexes", list, nil, "",
		"ORG|OF|FILES|SIZE|ROWS|GONE|MEMORY|COMPLETE|BYTES EACH|WAITING|MODEL|DIMENSIONS",
		func(x indexJSON) []string {
			complete, dims := "no", ""
			if x.Whole {
				complete = "yes"
			}
			if x.Dims > 0 {
				dims = strconv.Itoa(x.Dims)
			}
			return []string{string(x.Org), x.Of, strconv.Itoa(x.Files), loci.ShowBytes(x.Bytes), strconv.Itoa(x.Rows),
				strconv.Itoa(x.Gone), strconv.Itoa(x.Memory), complete, fmt.Sprintf("%.0f", x.BytesPerRow),
				strconv.Itoa(x.Waiting), loci.OneLine(x.Model), dims}
		})
}

func (p *program) indexVerifyCommand() *cobra.Command {
	return p.indexing(&cobra.Command{
		Use: "verify", Short: "Compare the indexes with the memories, events and graphs",
		Long: `Compare the indexes with the memories and the events: that their files are readable and
undamaged, and that each row is in them once, as it is now. The exit code is 1 if there
are problems.`,
	}, func(ctx context.Context, in *instance, orgs []loci.Org) error {
		problems, err := p.verifyIndexes(ctx, in, orgs)
		if err != nil {
			return err
		}
		if p.json {
			err = p.printJSON(map[string]any{"ok": len(problems) == 0, "problems": loci.OrEmpty(problems)})
		} else {
			for _, x := range problems {
				p.printf("fail  %s, %s: %s\n", x.Org, x.Of, x.Problem)
			}
		}
		switch {
		case err != nil:
			return err
		case len(problems) > 0:
			p.note("To build it again, run: %s", rebuildLine(problems[0].Org))
			return errUnwell
		case !p.json:
			p.printf("ok    %s\n", loci.Plural(len(orgs)*len(in.indexes()), "index", "indexes"))
		}
		return nil
	})
}

// indexProblem is a difference between an index and the rows.
type indexProblem struct {
	Org     loci.OrgID `json:"org"`
	Of      string     `json:"of"` // memories, events, graphs or vectors
	Problem string     `json:"problem"`
}

func (p *program) verifyIndexes(ctx context.Context, in *instance, orgs []loci.Org) (list []indexProblem, err error) {
	err = p.follow(ctx, func(ctx context.Context) error {
		for _, o := range orgs {
			for _, x := range in.indexes() {
				problems, err := x.verify(ctx, o.ID)
				if err != nil {
					return fmt.Errorf("cannot verify the index of the %s of %s: %w", x.of, o.ID, err)
				}
				for _, text := range problems {
					list = append(list, indexProblem{o.ID, x.of, text})
				}
			}
		}
		return nil
	})
	return list, err
}

func rebuildLine(org loci.OrgID) string { return "loci index rebuild --org " + string(org) }

// examineIndex compares the indexes of each org with its rows. With --fix it rebuilds those that differ.
func (d *doctor) examineIndex(ctx context.Context, in *instance) {
	orgs, err := in.orgs(ctx, "")
	var problems []indexProblem
	if err == nil {
		problems, err = d.verifyIndexes(ctx, in, orgs)
	}
	if err == nil && d.fix && len(problems) > 0 {
		problems, err = d.fixIndexes(ctx, in, problems)
	}
	if d.failed("index", d.remedy(err), err) {
		return
	}
	for _, x := range problems {
		d.fail("index", rebuildLine(x.Org), "%s, %s: %s", x.Org, x.Of, x.Problem)
	}
	if len(problems) == 0 {
		d.ok("index", "the indexes of searches match the memories, events and graphs")
	}
}

// fixIndexes rebuilds the indexes with problems, and returns the problems that remain.
func (d *doctor) fixIndexes(ctx context.Context, in *instance, problems []indexProblem) ([]indexProblem, error) {
	var fixed []loci.Org
	for i, x := range problems {
		if i > 0 && problems[i-1].Org == x.Org && problems[i-1].Of == x.Of {
			continue
		}
		for _, index := range in.indexes() {
			if index.of != x.Of {
				continue
			}
			if err := index.rebuild(ctx, x.Org); err != nil {
				return nil, err
			}
		}
		d.ok("rebuild", "rebuilt the index of the %s of %s", x.Of, x.Org)
		if !slices.ContainsFunc(fixed, func(o loci.Org) bool { return o.ID == x.Org }) {
			fixed = append(fixed, loci.Org{ID: x.Org})
		}
	}
	return d.verifyIndexes(ctx, in, fixed)
}
