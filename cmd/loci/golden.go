package main

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/golden"
	"github.com/loci-memory/loci/internal/memory"
)

const seeGolden = "loci golden list"

func (p *program) goldenCommand() *cobra.Command {
	return group("golden", "Measure over time how well recall answers your own questions",
		`Keep questions with the memories that recall must find for them, ask them, and see how
well it did over time. Only you see them; the dashboard shows them under Evaluate.`,
		p.goldenAddCommand(), p.goldenListCommand(), p.goldenEditCommand(), p.goldenDeleteCommand(), p.goldenRunCommand(),
		p.goldenRunsCommand())
}

func (p *program) goldenAddCommand() *cobra.Command {
	var expect []string
	cmd := p.acting(pickPerson, &cobra.Command{
		Use: "add QUESTION", Short: "Add a golden question and print its id",
		Annotations: does(golden.Change, memory.Resolve),
		Example:     `  loci golden add "on which days do we deploy" --expect 1b4e28ba`,
		PreRunE:     func(*cobra.Command, []string) error { return checkMemoryIDs(expect) },
	}, func(ctx context.Context, c *call) error {
		ids, err := c.memoryIDs(ctx, c.who, expect)
		if err != nil {
			return err
		}
		q, err := c.app.Golden.Create(ctx, c.who, golden.Draft{Question: c.args[0], Expected: ids})
		return p.created(q, err, q.ID, q.Question)
	})
	cmd.Flags().StringSliceVar(&expect, "expect", nil, "ids of the memories that recall must find (required)")
	_ = cmd.MarkFlagRequired("expect")
	return cmd
}

func (p *program) goldenListCommand() *cobra.Command {
	return p.acting(pickPerson, &cobra.Command{
		Use: "list", Short: "List your golden questions", Annotations: does(golden.Read),
	}, func(ctx context.Context, c *call) error {
		list, err := c.app.Golden.List(ctx, c.who)
		return printList(p, "questions", list, err,
			"no golden questions; add one with: loci golden add QUESTION --expect ID", "QUESTION|ID|EXPECTED",
			func(q loci.GoldenQuestion) []string {
				return []string{q.Question, q.ID.String(), showExpected(q.Expected)}
			})
	})
}

// showExpected names memories by their titles. Those that the person does not see have only an id.
func showExpected(list []loci.GoldenMemory) string {
	names := make([]string, len(list))
	for i, m := range list {
		if names[i] = cut(m.Title, 40); m.Title == "" {
			names[i] = m.ID.String() + " (not found)"
		}
	}
	return strings.Join(names, ", ")
}

func (p *program) goldenEditCommand() *cobra.Command {
	var question string
	var expect []string
	var patch golden.Patch
	cmd := p.onGolden(pickPerson, &cobra.Command{
		Use: "edit ID", Short: "Change a golden question", Annotations: does(golden.Change, golden.Read, memory.Resolve),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if patch.Question = given(cmd, "question", &question); patch.Question == nil && len(expect) == 0 {
				return usagef("specify what to change: --question or --expect")
			}
			return checkMemoryIDs(expect)
		},
	}, func(ctx context.Context, c *call, id loci.GoldenID) (err error) {
		if patch.Expected, err = c.memoryIDs(ctx, c.who, expect); err != nil {
			return err
		}
		q, err := c.app.Golden.Update(ctx, c.who, id, patch)
		return p.answer(q, err, "changed %s", q.ID)
	})
	cmd.Flags().StringVar(&question, "question", "", "the new question")
	cmd.Flags().StringSliceVar(&expect, "expect", nil, "ids of the memories that recall must find; replaces all")
	return cmd
}

func (p *program) goldenDeleteCommand() *cobra.Command {
	return p.onGolden(pickPerson|asks, &cobra.Command{
		Use: "delete ID", Short: "Permanently delete a golden question", Annotations: does(golden.Change, golden.Read),
	}, func(ctx context.Context, c *call, id loci.GoldenID) error {
		return p.erase(ctx, "golden question", id.String(), id, func() error { return c.app.Golden.Delete(ctx, c.who, id) })
	})
}

// onGolden completes a command about the golden question in its first argument: an id or its beginning.
func (p *program) onGolden(which picks, cmd *cobra.Command,
	do func(context.Context, *call, loci.GoldenID) error) *cobra.Command {
	list := func(ctx context.Context, c *call) (ids []loci.GoldenID, err error) {
		all, err := c.app.Golden.List(ctx, c.who)
		for _, q := range all {
			ids = append(ids, q.ID)
		}
		return ids, err
	}
	return onID(p, which, "golden question", seeGolden, among("golden question", seeGolden, list), cmd,
		func(ctx context.Context, c *call, id loci.GoldenID) error {
			return orNoSuch(do(ctx, c, id), "golden question", id.String(), seeGolden)
		})
}

func (p *program) goldenRunCommand() *cobra.Command {
	return p.acting(pickPerson, &cobra.Command{
		Use: "run", Short: "Ask your golden questions, and keep how well recall did",
		Annotations: does(golden.Run, golden.Read, memory.Read),
	}, func(ctx context.Context, c *call) error {
		run, err := followed(ctx, p, func(ctx context.Context) (*loci.GoldenRun, error) {
			return c.app.Golden.Run(ctx, c.who)
		})
		if err != nil || p.json {
			return p.answer(run, err, "")
		}
		asked, err := c.app.Golden.List(ctx, c.who)
		if err != nil {
			return err
		}
		texts := make(map[loci.GoldenID]string, len(asked))
		for _, q := range asked {
			texts[q.ID] = q.Question
		}
		printRows(p, "QUESTION|RANK", run.Places, func(at loci.GoldenPlace) []string {
			if at.Rank == 0 {
				return []string{texts[at.ID], "-"}
			}
			return []string{texts[at.ID], strconv.Itoa(at.Rank)}
		})
		p.printf("\n")
		p.printTable(runColumns[1:], [][]string{p.runRow(run)[1:]})
		return nil
	})
}

var runColumns = []string{"AT", "QUESTIONS", "R@1", "R@5", "R@10", "MRR", "MODEL"}

// runRow is a run in a table, in percent.
func (p *program) runRow(r *loci.GoldenRun) []string {
	return []string{p.showTime(r.At), strconv.Itoa(r.Questions), percent(r.R1), percent(r.R5), percent(r.R10),
		percent(r.MRR), cmp.Or(r.Model, "-")}
}

func (p *program) goldenRunsCommand() *cobra.Command {
	return p.acting(pickPerson, &cobra.Command{
		Use: "runs", Short: "List the runs of your golden questions, newest first", Annotations: does(golden.Read),
	}, func(ctx context.Context, c *call) error {
		list, err := gate.AllPages(func(cursor string) (gate.Page[*loci.GoldenRun], error) {
			return c.app.Golden.Runs(ctx, c.who, gate.MaxPage, cursor)
		})
		return printList(p, "runs", list, err, "no runs; start one with: loci golden run", strings.Join(runColumns, "|"),
			p.runRow)
	})
}
