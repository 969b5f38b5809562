package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/bymodel"
)

func (p *program) reflectCommand() *cobra.Command {
	var n review.Notes
	var markdown bool
	cmd := p.acting(pickAny|starts, &cobra.Command{
		Use: "reflect [FILE]", Short: "Find in notes what is worth keeping",
		Long: `Find in notes what is worth keeping: decisions, plans, ideas, claims, artifacts, procedures
and where the work stopped. FILE - or none is standard input. Without --persist, it writes
nothing. With --persist, the candidates become memories, except those that a person should
decide about. With --persist-review, all of them wait: see "loci review".`,
		Example: `  loci reflect notes.md --intent debug
  loci reflect notes.md --project website --persist-review
  loci reflect --markdown < notes.md`,
		Annotations: does(review.Reflect, review.Persist, project.Read),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if markdown && p.json {
				return usagef("specify --markdown or --json, not both")
			}
			return impliesPersist(cmd.Flags(), &n)
		},
	}, func(ctx context.Context, c *call) (err error) {
		if n.Content, err = p.notes(c.args); err != nil {
			return err
		}
		id, err := c.projectID(ctx, c.who, n.Project)
		if err != nil {
			return err
		}
		n.Project = showID(id)
		found, err := c.app.Review.Reflect(ctx, c.who, n)
		switch {
		case err != nil:
			return err
		case p.json:
			return p.printJSON(found)
		case markdown:
			p.printf("%s", found.Markdown)
			return nil
		}
		p.paged(func() { p.printReflected(found) })
		hint := found.UsageHint
		if found.Total > 0 && !n.Persist {
			hint = "Nothing was written. Add --persist to keep these candidates, or --persist-review to decide about them " +
				"first."
		}
		p.note("%s", hint)
		return nil
	})
	notesFlags(cmd.Flags(), &n)
	vendorsFlag(cmd, &n.AllowedVendors, "vendors whose assistants see what comes of it, or '*' for all (default: all)")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown for a prompt")
	return cmd
}

// impliesPersist lets --persist-review alone store what is found.
func impliesPersist(f *pflag.FlagSet, n *review.Notes) error {
	if n.PersistReview && !n.Persist && f.Changed("persist") {
		return usagef("--persist-review stores the candidates, and --persist=false stores nothing; leave one out")
	}
	n.Persist = n.Persist || n.PersistReview
	return nil
}

func notesFlags(f *pflag.FlagSet, n *review.Notes) {
	f.StringVar(&n.SourceTitle, "source-title", "", "what the notes are (default: "+loci.DefaultSourceTitle+")")
	f.StringVar((*string)(&n.Intent), "intent", "",
		"build, plan, ideate, research, debug, decide, learn or general (default: general)")
	f.StringVar(&n.Domain, "domain", "", "category of the memories")
	f.StringVar(&n.Project, "project", "", "project that they are about, by name or id")
	f.StringSliceVar(&n.RelatedTo, "related-to", nil, "ids of memories or entities to link")
	f.StringSliceVar(&n.TaskIDs, "task-ids", nil, "ids of tasks to link")
	f.BoolVar(&n.ActiveTask, "active-task", true, "link the only task of the project that is doing")
	f.BoolVar(&n.Persist, "persist", false, "write what was found")
	f.BoolVar(&n.PersistSource, "persist-source", true, "with --persist: store the notes, without their secrets")
	f.BoolVar(&n.PersistReview, "persist-review", false, "store all candidates, and let them wait for a decision")
	f.IntVar(&n.Limit, "limit", loci.DefaultCandidates, fmt.Sprintf("the most candidates, from 1 to %d",
		loci.MaxCandidates))
}

func (p *program) notes(args []string) (string, error) {
	from := p.in
	switch {
	case len(args) == 1 && args[0] != "-":
		f, err := os.Open(args[0])
		if err != nil {
			return "", usagef("cannot read %s: %w", args[0], withoutPath(err))
		}
		defer f.Close()
		from = f
	case len(args) == 0 && isTerminal(p.in):
		return "", usagef("missing notes: pass a file, or send them to standard input")
	}
	text, err := io.ReadAll(io.LimitReader(plainText(from), 4*loci.MaxNotes+1))
	return string(text), err
}

func (p *program) printReflected(r *loci.Reflected) {
	for i := range r.Candidates {
		c := &r.Candidates[i]
		p.printCandidate(&c.Candidate)
		p.printf("\n")
	}
	for _, n := range r.NotExtracted {
		p.printf("left out, %s: %s\n", n.Reason, cut(n.Text, 100))
	}
	if r.NoModel != "" {
		p.printf("the rules found these alone: %s\n", withoutModel[review.NoModel(r.NoModel)])
	}
	if r.Dropped > 0 {
		p.printf("%s of the model refused, such as those that are not in the notes\n",
			loci.Plural(r.Dropped, "candidate", "candidates"))
	}
	for _, s := range r.Sensitive {
		what := "flagged"
		if s.Redacted {
			what = "never stored"
		}
		p.printf("sensitive: %s at characters %d to %d, %s\n", s.Type, s.CharStart, s.CharEnd, what)
	}
}

// withoutModel says why the model has not read notes.
var withoutModel = map[review.NoModel]string{
	review.ModelTooLong:     fmt.Sprintf("notes of more than %d bytes do not go to the model", bymodel.MaxInput),
	review.ModelBusy:        "the model reads too many notes already",
	review.ModelBudget:      "the tokens for the model are used up until tomorrow (reflect.tokens_per_day)",
	review.ModelFailing:     "the model failed several times; Loci asks it again later",
	review.ModelTimeout:     "the model took too long (reflect.timeout_seconds)",
	review.ModelUnreachable: "the server of the model is not reachable (reflect.base_url)",
	review.ModelRefused:     "the server of the model refused; the log has the HTTP status",
	review.ModelUnusable:    "the answer of the model was not usable",
}

func (p *program) printCandidate(c *loci.Candidate) {
	p.printf("%s\n", p.bold(fmt.Sprintf("%s: %s", c.Kind, loci.OneLine(c.Title))))
	p.printFields("id", c.ID.String(), "confidence", fmt.Sprintf("%.2f, %s", c.Confidence, c.Reason),
		"state", stateOf(c, p), "sensitive", strings.Join(c.SensitivityFlags, ", "),
		"waits because", strings.Join(c.Exceptions, ", "), "memory", showID(c.MemoryID))
	for _, f := range c.Findings {
		if f.Kind != loci.FindingClaim {
			p.printFields(string(f.Kind), strings.TrimSpace(f.Reason+" "+f.Target))
		}
	}
	p.printf("%s\n", indented(c.Content))
}

// stateOf says what became of a candidate.
func stateOf(c *loci.Candidate, p *program) string {
	if c.State == loci.ReviewDeferred {
		return string(c.State) + " until " + p.showTime(c.DeferredTo)
	}
	return string(c.State)
}

// indented returns a text of several lines, safe to print.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(loci.Legible(text), "\n"), "\n", "\n    ")
}
