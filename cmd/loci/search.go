package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/recall"
)

// hitJSON is a memory with the reason why it matches.
type hitJSON struct {
	*loci.Memory
	Score   float64      `json:"score"`
	Snippet loci.Snippet `json:"snippet"`
	Why     loci.Why     `json:"why"`
}

func (p *program) searchCommand() *cobra.Command {
	var f questionFlags
	var why bool
	cmd := p.find(&f, &cobra.Command{
		Use:   "search QUERY…",
		Short: "Find memories, best first",
		Long: `Find memories, best first. A memory need not have all words. You can use
"quoted phrases" and prefix*. If no memory has the words, Loci finds words with the
same beginning or a similar spelling, and then text that contains them.`,
		Example: `  loci search deploy schedule
  loci search '"release notes"' --tag ops --as cursor
  loci search deploy --as-of 2026-03-01 --why
  loci search deploy --trash`,
		Annotations: does(memory.Read, memory.ReadTrash, project.Read),
	}, func(ctx context.Context, c *call, r memory.SearchRequest) error {
		page, err := c.app.Memory.Search(ctx, c.who, r)
		if err != nil {
			return err
		}
		return p.printHits(page, why || f.explain)
	})
	cmd.Flags().BoolVar(&why, "why", false, "show why each one matches")
	f.addState(cmd, "search", "")
	return cmd
}

// questionFlags narrow and explain a search.
type questionFlags struct {
	filterFlags
	askedAt time.Time // in the zone of its offset, or of TZ
	explain bool
}

// find completes a command that searches for its arguments. do gets the search, and c.who searches.
func (p *program) find(f *questionFlags, cmd *cobra.Command,
	do func(context.Context, *call, memory.SearchRequest) error) *cobra.Command {
	f.add(cmd)
	timeFlag(cmd, &f.askedAt, "asked-at",
		`when the question was asked: "yesterday" in it means the day before, in the zone of TZ`, parseZoned)
	cmd.Flags().BoolVar(&f.explain, "explain", false, "show what each score consists of")
	return p.acting(operator, cmd, func(ctx context.Context, c *call) (err error) {
		if c.who, err = f.viewer(ctx, c.instance); err != nil {
			return err
		}
		return do(ctx, c, memory.SearchRequest{Filter: f.Filter, Query: strings.Join(c.args, " "), Limit: f.limit,
			Cursor: f.cursor, AskedAt: f.askedAt, Explain: f.explain})
	})
}

func (p *program) printHits(page *memory.SearchPage[memory.Hit], why bool) error {
	if p.json {
		hits := loci.Mapped(page.Items, func(h memory.Hit) hitJSON { return hitJSON{h.Memory, h.Score, h.Snippet, h.Why} })
		return p.printJSON(map[string]any{"memories": hits, "next_cursor": page.NextCursor,
			"has_more": page.NextCursor != "", "total": page.Total, "total_is_lower_bound": page.TotalIsLowerBound,
			"partial": page.Partial(), "stopped_by": page.StoppedBy})
	}
	p.noteStopped(page.StoppedBy, len(page.Items))
	if len(page.Items) == 0 {
		if page.StoppedBy == memory.StoppedByNothing {
			p.note("no matches")
		}
		return nil
	}
	p.noteFallback(page.Items[0].Why)
	found := loci.Mapped(page.Items, func(h memory.Hit) *loci.Memory { return h.Memory })
	length := shortLength(idsOf(found))
	p.paged(func() {
		for _, h := range page.Items {
			p.printHit(h.Memory, h.Snippet, length)
			p.printDisagreement(&h.Memory.Disagreement)
			if why {
				p.printWhy(h.Score, h.Confidence, h.Why)
			}
		}
	})
	p.noteDisagreements(found...)
	p.more(page.NextCursor)
	return nil
}

// printDisagreement prints which memories say something else than a hit.
func (p *program) printDisagreement(d *loci.Disagreement) {
	for _, o := range d.DisputedBy {
		p.printf("    disputed by %s (%s)\n", o.ID, o.Origin)
	}
	if !d.PendingSupersede.IsZero() {
		p.printf("    %s is suggested to replace it\n", d.PendingSupersede)
	}
}

// noteDisagreements tells once how to decide between memories that were printed and others.
func (p *program) noteDisagreements(memories ...*loci.Memory) {
	if i := slices.IndexFunc(memories, isDisputed); i >= 0 {
		const note = "Memories of one key disagree. Trash the wrong one (loci trash ID)"
		others := func(m *loci.Memory) bool { return isDisputed(m) && m.Key != memories[i].Key }
		if slices.ContainsFunc(memories[i:], others) {
			p.note("Memories of several keys disagree. To decide about a key, run: loci list --key KEY")
		} else if command := replacement(memories[i], memories); command != "" && !p.asVendor {
			p.note("%s, or replace all of them (%s).", note, command)
		} else {
			p.note("%s. To see all of them and how to replace them, run: loci list --key %s", note,
				quoted(memories[i].Key))
		}
	}
	if slices.ContainsFunc(memories, func(m *loci.Memory) bool { return !m.PendingSupersede.IsZero() }) {
		p.note("A replacement is suggested. To decide, run: loci suggestion list")
	}
}

func isDisputed(m *loci.Memory) bool { return len(m.DisputedBy) > 0 }

// replacement returns the command that saves one memory in place of m and those that it disagrees with. A save by key
// updates the one that changed last, and must name the others only. It returns "" if not all were printed.
func replacement(m *loci.Memory, printed []*loci.Memory) string {
	all := []*loci.Memory{m}
	for next := 0; next < len(all); next++ { // memories of one writer do not dispute each other, but others dispute both
		for _, d := range all[next].DisputedBy {
			i := slices.IndexFunc(printed, func(other *loci.Memory) bool { return other.ID == d.ID })
			if i < 0 {
				return ""
			}
			if !slices.Contains(all, printed[i]) {
				all = append(all, printed[i])
			}
		}
	}
	if m.Scope != loci.ScopeGlobal { // a save without its scope updates none of them
		return "loci add TEXT --supersedes " + strings.Join(idsOf(all), ",")
	}
	last := slices.MaxFunc(all, func(a, b *loci.Memory) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
	var others []string
	for _, one := range all {
		if one != last {
			others = append(others, one.ID.String())
		}
	}
	return "loci add TEXT --key " + quoted(m.Key) + " --supersedes " + strings.Join(others, ",")
}

// noteFallback tells how memories match if they do not contain the words.
func (p *program) noteFallback(why loci.Why) {
	if note := why.FallbackNote(); note != "" {
		p.note("%s", note)
	}
}

// noteStopped prints why older memories may be missing, and what helps: rarer words do not if nothing was found.
func (p *program) noteStopped(by memory.StoppedBy, found int) {
	switch {
	case by == memory.StoppedByNothing:
	case found == 0:
		p.note("the search stopped early and found nothing so far; older memories may match: " +
			"search again, or narrow the search with --tag, --from or another filter")
	case by == memory.StoppedByTime:
		p.note("the search stopped early; older memories may be missing: search again, or use rarer words")
	case by == memory.StoppedByRows:
		p.note("there are too many memories to read; older ones may be missing: " +
			"narrow the search with --tag, --from or another filter")
	}
}

func (p *program) printHit(m *loci.Memory, snippet loci.Snippet, length int) {
	p.printf("%s  %s\n", p.bold(loci.OneLine(m.Title)), p.shortID(m.ID.String(), length))
	p.printf("    %s\n    %s, %s\n", p.snippetText(snippet), m.Origin, p.details(m))
	if !m.SupersededBy.IsZero() {
		p.printf("    superseded by %s\n", m.SupersededBy)
	}
}

// snippetText returns a snippet with the found words in bold.
func (p *program) snippetText(snippet loci.Snippet) string {
	var text strings.Builder
	for _, piece := range snippet.Pieces() {
		if shown := loci.Legible(piece.Text); piece.Marked {
			text.WriteString(p.bold(shown))
		} else {
			text.WriteString(shown)
		}
	}
	return text.String()
}

func idsOf(list []*loci.Memory) []string {
	return loci.Mapped(list, func(m *loci.Memory) string { return m.ID.String() })
}

// printWhy prints why a memory matches, and what its score consists of if the search was to explain it.
func (p *program) printWhy(score, confidence float64, why loci.Why) {
	p.printf("    %s\n", showWhy(score, why))
	if why.Signals == nil {
		return
	}
	p.printf("    confidence %.3f\n", confidence)
	rows := loci.Mapped(why.Signals.Parts(), func(s loci.SignalPart) []string {
		return []string{s.Name, fmt.Sprintf("%.3f", s.Score)}
	})
	text, _ := renderTable(p.screen, []string{"SIGNAL", "SCORE"}, rows)
	for line := range strings.Lines(text) {
		p.printf("    %s", line)
	}
}

// showWhy is one line about why a memory matches.
func showWhy(score float64, why loci.Why) string {
	parts := loci.Mapped(why.Terms, func(t loci.WhyTerm) string {
		return fmt.Sprintf("%s in %s %.2f", loci.OneLine(t.Label()), strings.Join(t.Fields, "+"), t.Score)
	})
	if len(why.Through) > 0 {
		parts = append(parts, "reached through "+loci.OneLine(strings.Join(why.Through, ", ")))
	}
	if why.Meaning > 0 {
		parts = append(parts, fmt.Sprintf("%s (%.2f)", recall.AlikeMeaning, why.Meaning))
	}
	text := fmt.Sprintf("score %.2f: %s", score, cmp.Or(strings.Join(parts, ", "), recall.NearMatch))
	if len(why.Named) > 0 {
		text += "; named by its " + strings.Join(why.Named, " and ")
	}
	if len(why.Boosts) > 0 {
		text += "; boosted by " + strings.Join(why.Boosts, ", ")
	}
	return text
}

func (p *program) details(m *loci.Memory) string {
	text := p.showTime(m.UpdatedAt)
	if !m.UpdatedAt.Equal(m.CreatedAt) {
		text = "changed " + text
	}
	if len(m.Tags) > 0 {
		text += ", " + loci.OneLine(strings.Join(m.Tags, " "))
	}
	return text
}
