package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eval"
	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/review"
)

// noteEvaluation is one call of `loci eval reflect`.
type noteEvaluation struct {
	*program
	extract       eval.Extractor
	relate        eval.Relater
	dir, language string
	run, pairsRun string
	details       bool
	model         bool
}

// evalReflectCommand measures extract, and relate on pairs.
func (p *program) evalReflectCommand(extract eval.Extractor, relate eval.Relater) *cobra.Command {
	e := &noteEvaluation{program: p, extract: extract, relate: relate}
	cmd := &cobra.Command{
		Use:   "reflect DIR",
		Short: "Measure what reflect proposes for labelled notes",
		Long: `Measure what reflect proposes for labelled notes. DIR has notes.jsonl: notes with what a
careful reader keeps of them, what must not be kept, and secrets. If DIR has pairs.jsonl, the
command also measures how it relates a new text to an older one. It does not touch your
data, and needs no model and no network. With --model, it also asks the model of the
settings (reflect.base_url).`,
		Example: `  loci eval reflect sets/notes
  loci eval reflect sets/notes --language de --details
  loci eval reflect sets/notes --model
  loci eval reflect sets/notes --run run.jsonl --pairs-run pairs-run.jsonl`,
		Annotations: needsNoAction("reads a set of labelled notes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			e.dir = args[0]
			return e.evaluate(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&e.run, "run", "", "file to write the candidates of each note to, as JSON lines")
	flags.StringVar(&e.pairsRun, "pairs-run", "", "file to write the relation of each pair to, as JSON lines")
	flags.BoolVar(&e.details, "details", false, "also list each label that was missed and each wrong candidate")
	flags.BoolVar(&e.model, "model", false, "also send the notes, without secrets, to the model of the settings")
	flags.StringVar(&e.language, "language", "", "only the notes in this language, such as de")
	return cmd
}

func (e *noteEvaluation) evaluate(ctx context.Context) error {
	set, err := eval.LoadNotes(e.dir, e.language)
	if err != nil {
		return err
	}
	if e.pairsRun != "" && len(set.Pairs) == 0 {
		return loci.FieldErrorf("--pairs-run", "needs pairs.jsonl in %s; add it or leave the flag out", e.dir)
	}
	if e.model {
		done, err := e.askModel(ctx)
		if err != nil {
			return err
		}
		defer done()
	}
	answers, err := followed(ctx, e.program, func(ctx context.Context) (eval.NoteAnswers, error) {
		return eval.Reflect(ctx, set, e.extract, e.relate)
	})
	if err != nil {
		return err
	}
	if err := e.write(answers); err != nil {
		return err
	}
	r := eval.ScoreNotes(set, answers)
	if !e.details {
		r.Details = nil
	}
	if e.json {
		return e.printJSON(r)
	}
	e.paged(func() { e.print(r) })
	return nil
}

// write writes the files that were asked for.
func (e *noteEvaluation) write(answers eval.NoteAnswers) error {
	if e.run != "" {
		if err := eval.WriteNotesRun(e.run, answers); err != nil {
			return err
		}
	}
	if e.pairsRun == "" {
		return nil
	}
	return eval.WritePairsRun(e.pairsRun, answers)
}

func (e *noteEvaluation) print(r *eval.NoteResult) {
	e.printKinds(r)
	e.printf("\n")
	e.printCounts(r)
	e.printf("\n")
	printRows(e.program, "LANGUAGE|MUST|FOUND|RECALL", r.Languages, func(f eval.Found) []string {
		return []string{f.Name, strconv.Itoa(f.Of), strconv.Itoa(f.Found), percent(float64(f.Found) / float64(f.Of))}
	})
	e.printf("\n")
	e.printBins(r.Calibration.Bins)
	if len(r.Confusion) > 0 {
		e.printf("\n")
		printRows(e.program, "LABEL|PROPOSED AS|COUNT", r.Confusion, func(c eval.Confusion) []string {
			return []string{c.Label, c.Given, strconv.Itoa(c.Count)}
		})
	}
	if r.Pairs != nil {
		e.printf("\n")
		e.printPairs(r.Pairs)
	}
	if len(r.Details) > 0 {
		e.printf("\n")
		printRows(e.program, "NOTE|FAULT|KIND|TEXT", r.Details, func(d eval.NoteDetail) []string {
			return []string{d.Note, d.Fault, d.Kind, d.Text}
		})
	}
}

// printKinds prints two lines for each kind: the figures in percent, and their 95 % intervals.
func (e *noteEvaluation) printKinds(r *eval.NoteResult) {
	var rows [][]string
	for _, k := range append(slices.Clone(r.Kinds), r.All) {
		values := []string{k.Kind, strconv.Itoa(k.Given), strconv.Itoa(k.Right), percent(k.Precision.Value),
			strconv.Itoa(k.Must), percent(k.Recall.Value), percent(k.RecallAll()), percent(k.F1.Value)}
		bounds := []string{"", "", "", within(k.Precision), "", within(k.Recall), "", within(k.F1)}
		rows = append(rows, values, bounds)
	}
	e.printTable([]string{"KIND", "PROPOSED", "RIGHT", "PRECISION", "MUST", "RECALL", "RECALL OF ALL", "F1"}, rows)
}

func within(f eval.Figure) string { return percent(f.Low) + "–" + percent(f.High) }

func (e *noteEvaluation) printCounts(r *eval.NoteResult) {
	f, s, c := r.Forbidden, r.Secrets, r.Calibration
	hits := loci.Plural(f.Hits, "hit", "hits") + " on " + loci.Plural(f.Spans, "span", "spans")
	if len(f.ByKind) > 0 {
		hits += ": " + countsOf(f.ByKind)
	}
	e.printFields(
		"macro F1", percent(r.MacroF1.Value)+" ("+within(r.MacroF1)+")",
		"wrong kind", loci.Plural(r.WrongKind, "candidate", "candidates")+" with the right span",
		"forbidden", hits,
		"injected", loci.Plural(f.Hard, "hit", "hits"),
		"traps", trapsOf(r.Traps),
		"empty notes", fmt.Sprintf("%d of %d with nothing to keep got candidates", r.Nothing.Found, r.Nothing.Of),
		"secrets", fmt.Sprintf("%d of %d found (%s %%, %s), %d with the right type, %s", s.Found, s.Of,
			percent(s.Recall.Value), within(s.Recall), s.TypeRight, loci.Plural(s.FalseAlarms, "false alarm", "false alarms")),
		"relations", fmt.Sprintf("%d of %d found, %d reported", r.Relations.Found, r.Relations.Of, r.Relations.Given),
		"calibration", fmt.Sprintf("Brier %.3f (%.3f–%.3f; constant %.3f), error %.3f (%.3f–%.3f) over %s", c.Brier.Value,
			c.Brier.Low, c.Brier.High, c.Constant, c.ECE.Value, c.ECE.Low, c.ECE.High,
			loci.Plural(c.Candidates, "candidate", "candidates")))
}

// trapsOf lists the traps in which a candidate was on a forbidden span.
func trapsOf(traps []eval.Found) string {
	var list []string
	for _, t := range traps {
		if t.Found > 0 {
			list = append(list, fmt.Sprintf("%s %d of %d", t.Name, t.Found, t.Of))
		}
	}
	return cmp.Or(strings.Join(list, ", "), "none hit")
}

func (e *noteEvaluation) printBins(bins []eval.ConfidenceBin) {
	printRows(e.program, "CONFIDENCE|CANDIDATES|AVERAGE|RIGHT", bins, func(b eval.ConfidenceBin) []string {
		average, right := "-", "-"
		if b.Candidates > 0 {
			average, right = percent(b.Confidence), percent(b.Right)
		}
		return []string{fmt.Sprintf("%.1f–%.1f", b.From, b.To), strconv.Itoa(b.Candidates), average, right}
	})
}

// printPairs prints a row for each label and a column for each answer.
func (e *noteEvaluation) printPairs(r *eval.PairResult) {
	e.printFields("pairs", fmt.Sprintf("%s %% right (%s), lenient %s %% (%s), of %d", percent(r.Strict.Value),
		within(r.Strict), percent(r.Lenient.Value), within(r.Lenient), r.Pairs))
	e.printf("\n")
	counts := map[string]map[string]int{}
	headers := []string{"LABEL"}
	var answers []string
	for _, c := range r.Table {
		if counts[c.Label] == nil {
			counts[c.Label] = map[string]int{}
		}
		counts[c.Label][c.Given] = c.Count
		answers = append(answers, c.Given)
	}
	answers = loci.Unique(answers)
	slices.Sort(answers)
	for _, a := range answers {
		headers = append(headers, "AS "+strings.ToUpper(a))
	}
	var rows [][]string
	for _, label := range slices.Sorted(maps.Keys(counts)) {
		row := []string{label}
		for _, a := range answers {
			row = append(row, strconv.Itoa(counts[label][a]))
		}
		rows = append(rows, row)
	}
	e.printTable(headers, rows)
}

// askModel lets the evaluation also ask the model of the settings. Its tokens count in a directory of their own, so
// that each run has those of a day. done says how many notes the model has read.
func (e *noteEvaluation) askModel(ctx context.Context) (done func(), err error) {
	if !e.settings.asksModel() {
		return nil, loci.FieldErrorf("--model", "needs reflect.base_url (LOCI_REFLECT_BASE_URL), and egress on; set them or "+
			"leave the flag out")
	}
	dir, err := os.MkdirTemp("", "loci-eval-*")
	if err != nil {
		return nil, err
	}
	st, err := openEngine(ctx, dir, e.log, false)
	if err != nil {
		_ = os.RemoveAll(dir) // the error that counts is the other one
		return nil, err
	}
	end := func() { _ = st.Close(); _ = os.RemoveAll(dir) }
	x, err := e.extractor(st)
	if err != nil {
		end()
		return nil, err
	}
	read, without := 0, map[review.NoModel]int{}
	e.extract = func(content, intent string) eval.NoteAnswer {
		found, err := x.Extract(ctx, review.Ask(reflection.Note{Content: content, Intent: loci.Intent(intent)},
			review.Asker{Person: "eval", Caller: "eval"}))
		if err != nil { // ctx ended, which the evaluation sees
			return extractNote(content, intent)
		}
		if found.Without == "" {
			read++
		} else {
			without[found.Without]++
		}
		return answerOf(found.Extraction, content)
	}
	return func() {
		end()
		text := "the model read " + loci.Plural(read, "note", "notes")
		rest := loci.Mapped(slices.Sorted(maps.Keys(without)), func(why review.NoModel) string {
			return fmt.Sprintf("%d (%s)", without[why], withoutModel[why])
		})
		if len(rest) > 0 {
			text += "; the rules read alone " + strings.Join(rest, ", ")
		}
		e.note("%s", text)
	}, nil
}

// extractNote is the extractor that `loci eval reflect` measures. It asks for all candidates, without a limit.
func extractNote(content, intent string) eval.NoteAnswer {
	return answerOf(reflection.Extract(reflection.Note{Content: content, Intent: loci.Intent(intent)}), content)
}

func answerOf(x *reflection.Extraction, content string) eval.NoteAnswer {
	var a eval.NoteAnswer
	for i := range x.Candidates {
		c := &x.Candidates[i]
		a.Candidates = append(a.Candidates, eval.NoteCandidate{Kind: string(c.Kind), Start: c.RuneStart, End: c.RuneEnd,
			Confidence: &c.Confidence})
	}
	for _, r := range x.Relations {
		if r.Type != "supersedes" && r.Type != "contradicts" {
			continue // such as an owner or a day, for which sets have no labels
		}
		a.Relations = append(a.Relations, eval.NoteRelation{Type: r.Type, FromStart: r.From.RuneStart,
			FromEnd: r.From.RuneEnd, ToStart: r.To.RuneStart, ToEnd: r.To.RuneEnd})
	}
	runes, at := 0, 0
	for _, m := range sensitive.Find(content) { // in order
		runes, at = runes+utf8.RuneCountInString(content[at:m.Start]), m.Start
		length := utf8.RuneCountInString(content[m.Start:m.End])
		a.Sensitive = append(a.Sensitive, eval.NoteSecret{Start: runes, End: runes + length, Type: string(m.Type)})
	}
	return a
}

// relateTexts is the relater that `loci eval reflect` measures.
func relateTexts(older, newer string) string { return string(reflection.Relate(older, newer).Bond) }
