package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eval"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/transfer"
)

// evaluation is one call of `loci eval`.
type evaluation struct {
	*program
	dir, golden  string
	search       string // of searches
	compare, run string
	split        string
	limit        int
}

func (p *program) evalCommand() *cobra.Command {
	e := &evaluation{program: p}
	cmd := &cobra.Command{
		Use:   "eval [DIR]",
		Short: "Measure how well recall finds what answers a question",
		Long: `Measure how well recall finds what answers a question. DIR has a set of conversations
with questions: corpus.jsonl and queries.jsonl. The command saves each conversation in a
temporary directory and does not touch your data. With --golden, it asks your own
questions and searches your own memories instead. Each line of that file has a query and
the ids of the memories that it must find:

  {"query": "when do we deploy", "must_find": ["1b4e28ba"]}

--search names what is measured: recall is what Loci does, with the model of embeddings
if one is in use, words is recall without it, pack is what a context pack of 1,000 tokens
holds, and index is its index alone. index-without-SIGNAL leaves out one of its signals.
--compare names another search, or a file that --run wrote before. Differences are those
of the measured search to that one.`,
		Example: `  loci eval sets/friends
  loci eval sets/friends --run new.jsonl --compare old.jsonl
  loci eval --golden golden.jsonl`,
		Annotations: does(memory.Read, transfer.Import),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				e.dir = args[0]
			}
			if err := e.check(); err != nil {
				return err
			}
			return e.evaluate(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&e.golden, "golden", "", "file with your own questions, to ask your own memories")
	flags.StringVar(&e.search, "search", defaultSearch, "search to measure, such as recall or index")
	flags.StringVar(&e.compare, "compare", "", "also print the differences to another search, or to a file of --run")
	flags.StringVar(&e.run, "run", "", "file to write the ranking of each question to, as JSON lines")
	flags.IntVar(&e.limit, "limit", eval.DefaultLimit, "hits per question")
	flags.StringVar(&e.split, "split", "all", "only the questions of this split")
	cmd.AddCommand(p.evalReflectCommand(extractNote, relateTexts))
	return cmd
}

// defaultSearch is the search that the command measures unless another one is named.
const defaultSearch = "recall"

// packSearch is a context pack.
const packSearch = "pack"

// wordsSearch is recall without a model of embeddings.
const wordsSearch = "words"

// indexSearch is the index without the rest of Loci.
const indexSearch = "index"

// searches are the configurations that can be compared.
func (p *program) searches() map[string]eval.Build {
	open := func(ctx context.Context, dir string) (store.Store, error) { return openEngine(ctx, dir, p.log, false) }
	model := modelInUse(sync.OnceValues(p.selector))
	searches := map[string]eval.Build{
		defaultSearch: eval.Product(open, model),
		packSearch:    eval.Packs(open, model),
		wordsSearch:   eval.Product(open, nil),
		indexSearch:   eval.Indexed(recall.Formula),
	}
	for _, signal := range recall.Signals() {
		searches[indexSearch+"-without-"+signal] = eval.Indexed(recall.Without(signal))
	}
	return searches
}

func (p *program) searchNames() string {
	return strings.Join(slices.Sorted(maps.Keys(p.searches())), ", ")
}

func (e *evaluation) check() error {
	switch {
	case e.dir == "" && e.golden == "":
		return usagef("specify DIR or --golden")
	case e.dir != "" && e.golden != "":
		return usagef("specify DIR or --golden, not both")
	case e.searches()[e.search] == nil:
		return loci.FieldErrorf("--search", "must be one of %s, not %s", e.searchNames(), quoted(cut(e.search, 60)))
	case e.golden != "" && e.search != defaultSearch:
		return loci.FieldErrorf("--search", "must be %s if --golden is set: your memories have one search", defaultSearch)
	case e.limit < eval.LeastLimit || e.limit > eval.MaxLimit:
		return loci.FieldErrorf("--limit", "must be from %d to %d", eval.LeastLimit, eval.MaxLimit)
	case e.golden != "" && e.compare != "" && e.searches()[e.compare] != nil:
		return loci.FieldErrorf("--compare", "must be a file if --golden is set: your memories have one search")
	}
	return nil
}

func (e *evaluation) evaluate(ctx context.Context) error {
	if e.golden != "" {
		return e.program.with(ctx, refuse, func(in *instance) error {
			set, err := in.golden(ctx, e.golden)
			if err != nil {
				return err
			}
			return e.measure(ctx, set, func(context.Context, []eval.Unit) (eval.Searcher, int64, error) {
				return eval.Stored(in.app, in.operator), 0, nil
			})
		})
	}
	set, err := eval.Load(e.dir)
	if err == nil && e.split != "all" {
		set, err = set.Only(e.split)
	}
	if err != nil {
		return err
	}
	return e.measure(ctx, set, e.searches()[e.search])
}

// golden reads a golden file and finds the memories that it names.
func (in *instance) golden(ctx context.Context, file string) (eval.Set, error) {
	set, err := eval.LoadGolden(file)
	if err != nil {
		return set, err
	}
	for _, q := range set.Conversations[0].Questions {
		for i, text := range q.Gold {
			id, err := in.memoryID(ctx, in.operator, text)
			if err == nil { // also a whole id must be that of a memory
				_, err = in.app.Memory.Get(ctx, in.operator, id)
			}
			if err != nil {
				line, _ := strconv.Atoi(q.ID)
				return set, eval.At(file, line, fmt.Errorf("must_find %s: %w", quoted(cut(text, 60)), err))
			}
			q.Gold[i] = id.String()
		}
	}
	return set, nil
}

// measure runs the search, writes its run, compares it and prints the figures.
func (e *evaluation) measure(ctx context.Context, set eval.Set, build eval.Build) error {
	var result, other *eval.Result
	err := e.follow(ctx, func(ctx context.Context) (err error) {
		if other, err = e.reference(ctx, set); err != nil {
			return err
		}
		result, err = eval.Run(ctx, set, build, eval.Options{Limit: e.limit})
		return err
	})
	if err != nil {
		return err
	}
	if e.run != "" {
		if err := eval.WriteRun(e.run, result); err != nil {
			return err
		}
	}
	var diff *eval.Comparison
	if other != nil {
		if diff, err = eval.Compare(other, result); err != nil {
			return err
		}
		if other.Missing > 0 {
			e.note("%s lacks %s; these count as not found", e.compare,
				loci.Plural(other.Missing, "question", "questions"))
		}
	}
	if e.json {
		return e.printJSON(e.asJSON(result, diff))
	}
	e.paged(func() { e.print(result, diff) })
	return nil
}

// reference returns the result to compare with, or nil.
func (e *evaluation) reference(ctx context.Context, set eval.Set) (*eval.Result, error) {
	if e.compare == "" {
		return nil, nil
	}
	if build := e.searches()[e.compare]; build != nil {
		return eval.Run(ctx, set, build, eval.Options{Limit: e.limit})
	}
	if _, err := os.Stat(e.compare); errors.Is(err, os.ErrNotExist) {
		return nil, loci.FieldErrorf("--compare", "must be a search (%s) or an existing file, not %s",
			e.searchNames(), quoted(cut(e.compare, 60)))
	}
	return eval.ReadRun(set, e.compare)
}

// evalJSON is what `loci eval --json` prints.
type evalJSON struct {
	*eval.Result
	Search    string          `json:"search"`
	Limit     int             `json:"limit"`
	Compare   *compareJSON    `json:"compare,omitempty"`
	Questions []goldenOutcome `json:"questions,omitempty"` // with --golden only
}

type compareJSON struct {
	With string `json:"with"`
	*eval.Comparison
}

type goldenOutcome struct {
	Query    string       `json:"query"`
	MustFind []goldenRank `json:"must_find"`
}

type goldenRank struct {
	ID   string `json:"id"`
	Rank int    `json:"rank"` // 0: not found
}

func (e *evaluation) asJSON(r *eval.Result, diff *eval.Comparison) *evalJSON {
	out := &evalJSON{Result: r, Search: e.search, Limit: e.limit}
	if diff != nil {
		out.Compare = &compareJSON{e.compare, diff}
	}
	if e.golden == "" {
		return out
	}
	for _, o := range r.Outcomes {
		one := goldenOutcome{Query: o.Question.Text}
		for i, id := range o.Question.Gold {
			one.MustFind = append(one.MustFind, goldenRank{id, o.Ranks[i]})
		}
		out.Questions = append(out.Questions, one)
	}
	return out
}

// evalColumns are the figures in the table, from the most to the least important.
var evalColumns = []struct{ header, metric string }{
	{"R@5", "recall@5"}, {"R@10", "recall@10"}, {"R@20", "recall@20"}, {"MRR", "mrr"}, {"NDCG@10", "ndcg@10"},
	{"ALL@5", "all@5"}, {"ALL@10", "all@10"}, {"ALL@20", "all@20"}, {"HIT@10", "hit@10"},
	{"SESSION R@10", "session_recall@10"}, {"SESSION ALL@10", "session_all@10"},
}

func (e *evaluation) print(r *eval.Result, diff *eval.Comparison) {
	if e.golden == "" {
		e.printTypes(append(slices.Clone(r.Types), r.All))
	} else {
		e.printGolden(r)
		e.printf("\n")
		e.printTypes([]eval.Group{r.All})
	}
	e.printf("\n")
	if c := r.Cost; c.Units > 0 {
		e.printFields("indexed", fmt.Sprintf("%s in %s, %s bytes each", loci.Plural(c.Units, "unit", "units"),
			c.IndexTime.Round(time.Millisecond), loci.Thousands(int(c.BytesPerUnit()))))
	}
	e.printFields("query", fmt.Sprintf("p50 %s ms, p95 %s ms", showMillis(r.Cost.P50), showMillis(r.Cost.P95)))
	if c := r.Confidence; c != nil {
		if c.Unanswerable > 0 {
			e.printFields("no answer", fmt.Sprintf("%s %% of %s without an answer got none",
				percent(float64(c.GotNone)/float64(c.Unanswerable)), loci.Plural(c.Unanswerable, "question", "questions")))
		}
		e.printFields("confidence", fmt.Sprintf("error %.3f; %s %% of %s that found an answer lost it", c.Error,
			percent(float64(c.Lost)/float64(max(c.Found, 1))), loci.Plural(c.Found, "question", "questions")))
	}
	if diff != nil {
		e.printf("\n")
		e.printDifferences(diff)
	}
}

// printTypes prints two lines for each type: the figures in percent, and their 95 % intervals.
func (e *evaluation) printTypes(groups []eval.Group) {
	headers := []string{"TYPE", "QUESTIONS"}
	var shown []string
	for _, c := range evalColumns {
		if _, ok := groups[0].Figures[c.metric]; ok {
			headers, shown = append(headers, c.header), append(shown, c.metric)
		}
	}
	var rows [][]string
	for _, g := range groups {
		values, intervals := []string{g.Type, strconv.Itoa(g.Questions)}, []string{"", ""}
		for _, metric := range shown {
			f := g.Figures[metric]
			values = append(values, percent(f.Value))
			intervals = append(intervals, percent(f.Low)+"–"+percent(f.High))
		}
		rows = append(rows, values, intervals)
	}
	e.printTable(headers, rows)
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) }

func (e *evaluation) printGolden(r *eval.Result) {
	var rows [][]string
	for _, o := range r.Outcomes {
		found, ranks := 0, make([]string, len(o.Ranks))
		for i, rank := range o.Ranks {
			if ranks[i] = "-"; rank > 0 {
				found++
				ranks[i] = strconv.Itoa(rank)
			}
		}
		rows = append(rows, []string{o.Question.Text, fmt.Sprintf("%d of %d", found, len(ranks)), strings.Join(ranks, ", ")})
	}
	e.printTable([]string{"QUERY", "FOUND", "RANKS"}, rows)
}

func (e *evaluation) printDifferences(c *eval.Comparison) {
	rows := loci.Mapped(c.Differences, func(d eval.Difference) []string {
		return []string{d.Metric, percent(d.A), percent(d.B), fmt.Sprintf("%+.1f", 100*d.Diff),
			fmt.Sprintf("%+.1f to %+.1f", 100*d.Low, 100*d.High), fmt.Sprintf("%.4f", d.P), strconv.Itoa(d.Better),
			strconv.Itoa(d.Worse)}
	})
	e.printTable([]string{"FIGURE", e.compare, e.search, "DIFFERENCE", "95 % INTERVAL", "P", "BETTER", "WORSE"}, rows)
}
