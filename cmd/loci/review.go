package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
)

const seeCandidates = "loci review list --state all"

func (p *program) reviewCommand() *cobra.Command {
	return group("review", "Decide what becomes a memory",
		`List candidates for memories, and decide about them. "loci reflect" finds them in notes. A
candidate is pending until it is promoted, rejected, deferred or archived. CANDIDATE is an id
or the beginning of one. Several at once are decided about one by one.`,
		p.reviewListCommand(), p.reviewShowCommand(),
		p.verdictCommand("accept", "Make memories of candidates", review.Accept),
		p.verdictCommand("reject", "Refuse candidates", review.Decide),
		p.reviewEditCommand(),
		p.verdictCommand("defer", "Let candidates wait", review.Decide),
		p.verdictCommand("archive", "Put candidates away that say what is known", review.Decide),
		p.reviewMergeCommand(),
		p.verdictCommand("undo", "Take back the last decision about candidates", review.Decide))
}

func (p *program) reviewListCommand() *cobra.Command {
	var r review.ListRequest
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "list", Short: "List candidates, last proposed first", Annotations: does(review.Read, project.Read),
	}, func(ctx context.Context, c *call) error {
		id, err := c.projectID(ctx, c.who, r.Project)
		if err != nil {
			return err
		}
		r.Project, r.Limit = showID(id), gate.MaxPage
		var counts map[loci.ReviewState]int
		list, err := gate.AllPages(func(cursor string) (page gate.Page[*loci.Candidate], err error) {
			r.Cursor = cursor
			page, counts, err = c.app.Review.Inbox(ctx, c.who, r)
			return page, err
		})
		if err == nil && p.json {
			out := page("candidates", list)
			out["counts"] = counts
			return p.printJSON(out)
		}
		err = printList(p, "candidates", list, err, "no candidates; find some with: loci reflect FILE --persist-review",
			"KIND|TITLE|ID|CONFIDENCE|STATE|FLAGS|BY|PROPOSED", func(x *loci.Candidate) []string {
				return []string{string(x.Kind), x.Title, x.ID.String(), fmt.Sprintf("%.2f", x.Confidence), stateOf(x, p),
					strings.Join(append(append([]string{}, x.SensitivityFlags...), x.Exceptions...), ", "), x.Origin,
					p.showTime(x.CreatedAt)}
			})
		if err == nil && len(counts) > 0 {
			p.note("%s", countsLine(counts))
		}
		return err
	})
	readFlag(cmd, &r.State, "state", string(loci.ReviewPending), "pending, promoted, rejected, deferred, archived or all",
		oneOf(loci.ReviewStates()...))
	readFlag(cmd, &r.Kind, "kind", "all", "decision, plan, idea, claim, artifact, procedure, session or all",
		oneOf(loci.CandidateKinds()...))
	cmd.Flags().StringVar(&r.Project, "project", "", "only candidates about this project, by name or id")
	return cmd
}

// countsLine is how many candidates each state has.
func countsLine(counts map[loci.ReviewState]int) string {
	var parts []string
	for _, state := range loci.ReviewStates() {
		if n := counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(parts, ", ")
}

func (p *program) reviewShowCommand() *cobra.Command {
	return p.acting(pickAny, &cobra.Command{
		Use: "show CANDIDATE", Short: "Show a candidate, its evidence, and what it may replace",
		Annotations: does(review.Read),
	}, onNamed((*instance).candidate, func(ctx context.Context, c *call, id loci.CandidateID) error {
		x, err := c.app.Review.Show(ctx, c.who, id)
		if err != nil || p.json {
			return p.answer(x, err, "")
		}
		p.paged(func() { p.printShown(x) })
		return nil
	}))
}

// printShown prints all about a candidate. In a terminal, the evidence is bold; elsewhere, it stands between » and «.
func (p *program) printShown(x *loci.ShownCandidate) {
	p.printCandidate(&x.Candidate)
	if len(x.Passages) > 0 {
		p.printf("\nin the notes:\n")
	}
	for _, e := range x.Passages {
		text := loci.Legible(e.Text)
		if p.screen.styled {
			text = p.bold(text)
		} else {
			text = "»" + text + "«"
		}
		p.printf("%s\n", indented(strings.TrimLeft(loci.Legible(e.Before), "\n")+text+loci.Legible(e.After)))
	}
	for _, w := range x.Changes {
		p.printf("\n%s %s: %s\n    %s\n", w.Kind, w.ID, loci.OneLine(w.Title), strings.Join(aboutChange(&w), "; "))
		if x.State == loci.ReviewPending || x.State == loci.ReviewDeferred {
			p.printf("    stays, unless: %s\n",
				p.onSameData("loci review accept "+x.ID.Short()+" --supersedes "+w.ID.Short()))
		}
		for _, h := range w.Diff {
			for i := range h.Lines {
				p.printf("    %s\n", showDiffLine(&h.Lines[i]))
			}
		}
	}
	for _, r := range x.History {
		p.printf("\n%s by %s, %s", r.Action, r.Origin, p.showTime(r.At))
		if r.Reason != "" {
			p.printf(": %s", loci.OneLine(r.Reason))
		}
		p.printf("\n")
	}
}

// aboutChange says why a candidate may replace a memory, and what would then be missed.
func aboutChange(w *loci.WouldChange) []string {
	list := []string{fmt.Sprintf("by %s, importance %d", w.Origin, w.Importance), loci.OneLine(w.Reason)}
	if w.SharedWith != "" {
		list = append([]string{"read by " + w.SharedWith}, list...)
	}
	if w.Pinned {
		list = append([]string{"pinned"}, list...)
	}
	if w.Effect == "suggested" {
		list = append(list, "its owner decides about replacing it")
	}
	return list
}

// verdictCommand decides about one candidate or several.
func (p *program) verdictCommand(verb, short string, action gate.Action) *cobra.Command {
	var reason string
	var ending time.Time
	var supersedes []string
	cmd := p.acting(pickAny, &cobra.Command{
		Use: verb + " CANDIDATE…", Short: short, Annotations: does(action, review.Read),
		PreRunE: func(*cobra.Command, []string) error { return checkMemoryIDs(supersedes) },
	}, func(ctx context.Context, c *call) error {
		ids, err := c.candidates(ctx)
		if err != nil {
			return err
		}
		replaced, err := c.memoryIDs(ctx, c.who, supersedes)
		if err != nil {
			return err
		}
		results, err := c.app.Review.Bulk(ctx, c.who, review.BulkRequest{Action: verb, IDs: ids, Reason: reason,
			Until: ending, Supersedes: replaced})
		if err != nil {
			return err
		}
		return p.printVerdicts(results)
	})
	cmd.Flags().StringVar(&reason, "reason", "", "why")
	switch verb {
	case "accept":
		cmd.Long = short + `. Each replaces nothing, whatever Loci guesses, unless you name the
memories in --supersedes. "loci review show" lists the guesses.`
		cmd.Flags().StringSliceVar(&supersedes, "supersedes", nil,
			"id of a memory that the accepted candidate replaces; may be repeated")
	case "defer":
		timeFlag(cmd, &ending, "until", "when it is pending again: 12h, 7d or 2026-12-31 (default: 7d)", parseFuture)
	}
	return cmd
}

// printVerdicts prints what decisions did. It returns the first error after all results.
func (p *program) printVerdicts(results []review.BulkResult) (failed error) {
	for _, r := range results {
		if r.Err != nil && failed == nil {
			failed = r.Err
		}
	}
	if len(results) == 1 && failed != nil {
		return failed
	}
	if p.json {
		if err := p.printJSON(page("results", review.Outcomes(results))); err != nil {
			return err
		}
		return failed
	}
	for _, r := range results {
		if r.Err != nil {
			p.note("%s: %s", r.ID, loci.SafeText(r.Err))
			continue
		}
		memory := ""
		if !r.Candidate.MemoryID.IsZero() {
			memory = ", memory " + r.Candidate.MemoryID.String()
		}
		p.printf("%s %s%s: %s\n", stateOf(r.Candidate, p), r.ID, memory, cut(r.Candidate.Title, 60))
		p.printWhatStays(r.Candidate)
	}
	return failed
}

// printWhatStays prints which memories an accepted candidate replaced, and that others stay.
func (p *program) printWhatStays(c *loci.Candidate) {
	for _, m := range c.Replaced {
		p.printf("    replaced %s: %s\n", m.ID, cut(m.Title, 60))
	}
	for _, m := range c.Suggested {
		p.printf("    suggested to the owner of %s: %s\n", m.ID, cut(m.Title, 60))
	}
	stay := 0
	for _, f := range c.Findings {
		if (f.Kind == loci.FindingSupersession || f.Kind == loci.FindingStale) && f.TargetType == "memory" &&
			!slices.ContainsFunc(slices.Concat(c.Replaced, c.Suggested),
				func(m loci.TitledMemory) bool { return m.ID.String() == f.Target }) {
			stay++
		}
	}
	if stay > 0 && c.State == loci.ReviewPromoted {
		p.note("%s that it may replace: see `loci review show %s`", loci.Plural(stay, "memory stays", "memories stay"),
			c.ID.Short())
	}
}

func (p *program) reviewEditCommand() *cobra.Command {
	var kind, title, content, domain string
	var tags []string
	var vendors []loci.Vendor
	var version int
	var edit review.Edit
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "edit CANDIDATE", Short: "Change a candidate that waits", Annotations: does(review.Decide, review.Read),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			edit = review.Edit{Kind: (*loci.CandidateKind)(given(cmd, "kind", &kind)), Title: given(cmd, "title", &title),
				Content: given(cmd, "content", &content), Domain: given(cmd, "domain", &domain),
				Tags: given(cmd, "tag", new(newTags(tags))), AllowedVendors: given(cmd, "allow", &vendors)}
			if edit == (review.Edit{}) {
				return usagef("specify what to change: --kind, --title, --content, --domain, --tag or --allow")
			}
			return nil
		},
	}, onNamed((*instance).candidate, func(ctx context.Context, c *call, id loci.CandidateID) error {
		x, err := c.app.Review.Change(ctx, c.who, id, edit, review.Decision{IfVersion: version})
		return p.showCandidate(x, err)
	}))
	cmd.Flags().StringVar(&kind, "kind", "", "the new kind")
	cmd.Flags().StringVar(&title, "title", "", "the new title")
	cmd.Flags().StringVar(&content, "content", "", "the new content")
	cmd.Flags().StringVar(&domain, "domain", "", "the new domain; \"\" removes it")
	cmd.Flags().StringSliceVar(&tags, "tag", nil, "the new tags (repeatable); \"\" removes them")
	vendorsFlag(cmd, &vendors, maySee)
	ifVersionFlag(cmd, &version)
	return cmd
}

func (p *program) showCandidate(x *loci.Candidate, err error) error {
	if err != nil || p.json {
		return p.answer(x, err, "")
	}
	p.printCandidate(x)
	return nil
}

func (p *program) reviewMergeCommand() *cobra.Command {
	var reason string
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "merge CANDIDATE OTHER…", Short: "Make one candidate of several; the others are archived",
		Annotations: does(review.Decide, review.Read),
	}, func(ctx context.Context, c *call) error {
		ids, err := c.candidates(ctx)
		if err != nil {
			return err
		}
		return p.showCandidate(c.app.Review.Merge(ctx, c.who, ids[0], ids[1:], review.Decision{Reason: reason}))
	})
	cmd.Flags().StringVar(&reason, "reason", "", "why")
	return cmd
}

// candidates finds the candidates that the arguments name.
func (c *call) candidates(ctx context.Context) (ids []loci.CandidateID, err error) {
	ids = make([]loci.CandidateID, len(c.args))
	for i, text := range c.args {
		if ids[i], err = c.candidate(ctx, c.who, text); err != nil {
			return nil, c.onlyHere(ctx, err)
		}
	}
	return ids, nil
}

// candidate finds a candidate by its id or the beginning of its id.
func (in *instance) candidate(ctx context.Context, who loci.Principal, s string) (loci.CandidateID, error) {
	if err := checkID(s, "candidate", seeCandidates); err != nil {
		return loci.CandidateID{}, err
	}
	id, err := in.app.Review.Find(ctx, who, s)
	return id, orNoSuch(err, "candidate", s, seeCandidates)
}
