package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/golden"
	"github.com/loci-memory/loci/internal/memory"
)

// TestGoldenFigures asks three questions: one finds both of its memories, one finds one of two, and one finds nothing
// after its memory is trashed.
func TestGoldenFigures(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	add := func(title, content string) loci.MemoryID {
		return d.add(d.mara, memory.Draft{Title: title, Content: content}).ID
	}
	deploys, coffee, gone := add("Deploys", "We deploy on Tuesdays."), add("Coffee", "Ada drinks it without milk."),
		add("Marmots", "A marmot sleeps.")
	ask := func(question string, expected ...loci.MemoryID) loci.GoldenQuestion {
		q, err := d.Golden.Create(ctx, d.mara, golden.Draft{Question: question, Expected: expected})
		d.must(err)
		return q
	}
	d.must(d.Golden.Delete(ctx, d.mara, d.golden()))
	first, second, third := ask("deploy on Tuesdays", deploys), ask("coffee without milk", coffee, deploys),
		ask("marmot sleeps", gone, gone)
	if diff := cmp.Diff([]loci.GoldenMemory{{ID: gone, Title: "Marmots"}}, third.Expected); diff != "" {
		t.Errorf("a new question (-want +got):\n%s", diff)
	}
	_, err := d.Memory.Trash(ctx, d.mara, gone, 0)
	d.must(err)
	run, err := d.Golden.Run(ctx, d.mara)
	d.must(err)
	want := &loci.GoldenRun{ID: run.ID, Meaning: run.Meaning, Model: run.Model, OrgID: run.OrgID,
		UserID: d.mara.UserID, At: run.At, Origin: d.mara.Origin,
		Questions: 3, R1: (1 + 0.5) / 3, R5: run.R5, R10: run.R10, MRR: 2.0 / 3,
		Places: []loci.GoldenPlace{{ID: first.ID, Rank: 1}, {ID: second.ID, Rank: 1}, {ID: third.ID}}}
	if diff := cmp.Diff(want, run); diff != "" {
		t.Errorf("the run (-want +got):\n%s", diff)
	}
	list, err := d.Golden.List(ctx, d.mara)
	d.must(err)
	if diff := cmp.Diff([]loci.GoldenMemory{{ID: gone}}, list[2].Expected); diff != "" {
		t.Errorf("a question about a trashed memory (-want +got):\n%s", diff)
	}
	again, err := d.Golden.Run(ctx, d.mara)
	d.must(err)
	runs, err := d.Golden.Runs(ctx, d.mara, 1, "")
	d.must(err)
	older, err := d.Golden.Runs(ctx, d.mara, 1, runs.NextCursor)
	d.must(err)
	if diff := cmp.Diff([]*loci.GoldenRun{again, run}, append(runs.Items, older.Items...)); diff != "" ||
		older.NextCursor != "" {
		t.Errorf("the runs (-want +got):\n%s", diff)
	}
}

// TestGoldenRunNamesItsModel runs questions with one model, with another, and without one.
func TestGoldenRunNamesItsModel(t *testing.T) {
	t.Parallel()
	w, model := newMeaning(t)
	ctx := t.Context()
	m := w.add(w.owner, memory.Draft{Title: "Ada", Content: "tea daily"})
	_, err := w.Golden.Create(ctx, w.owner, golden.Draft{Question: "beverage", Expected: []loci.MemoryID{m.ID}})
	w.must(err)
	for _, name := range []string{"first", "second"} {
		model.ID = name
		w.catchUp()
		run, err := w.Golden.Run(ctx, w.owner)
		w.must(err)
		if run.Model != name || run.Meaning != "ready" || run.R1 != 1 {
			t.Errorf("with %s: %+v", name, run)
		}
	}
	words := newWorld(t)
	m = words.add(words.owner, memory.Draft{Title: "Ada", Content: "tea daily"})
	_, err = words.Golden.Create(ctx, words.owner, golden.Draft{Question: "tea", Expected: []loci.MemoryID{m.ID}})
	words.must(err)
	run, err := words.Golden.Run(ctx, words.owner)
	words.must(err)
	if run.Model != "" {
		t.Errorf("without a model: %+v", run)
	}
}

// TestGoldenLimits tries what a golden question may not be.
func TestGoldenLimits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	mine := []loci.MemoryID{d.memory.ID}
	hers := d.add(d.owner, memory.Draft{Title: "of another", Content: "x"}).ID
	many := make([]loci.MemoryID, loci.MaxGoldenExpected+1)
	for i := range many {
		many[i] = loci.NewMemoryID()
	}
	for name, tt := range map[string]struct {
		p     loci.Principal
		draft golden.Draft
		code  loci.Code
		text  string
	}{
		"without a question": {d.mara, golden.Draft{Question: " ", Expected: mine}, loci.Invalid,
			"question must not be empty"},
		"too long": {d.mara, golden.Draft{Question: strings.Repeat("x", loci.MaxTerm+1), Expected: mine}, loci.Invalid,
			"question is longer than 500"},
		"with a short prefix":  {d.mara, golden.Draft{Question: "a*", Expected: mine}, loci.Invalid, "question has"},
		"that expects nothing": {d.mara, golden.Draft{Question: "x"}, loci.Invalid, "expected is required"},
		"that expects too many": {d.mara, golden.Draft{Question: "x", Expected: many}, loci.Invalid,
			"expected has 21 memories; at most 20"},
		"that expects another's": {d.mara, golden.Draft{Question: "x", Expected: append(mine, hers)}, loci.Invalid,
			"expected[1] must be a memory that you can see"},
		"that expects none": {d.mara, golden.Draft{Question: "x", Expected: append(mine, loci.NewMemoryID())},
			loci.Invalid, "expected[1] must be a memory that you can see"},
		"of an agent": {d.claude, golden.Draft{Question: "x", Expected: mine}, loci.Forbidden, "for people"},
	} {
		_, err := d.Golden.Create(ctx, tt.p, tt.draft)
		if loci.CodeOf(err) != tt.code || !strings.Contains(fmt.Sprint(err), tt.text) {
			t.Errorf("%s: got %v, want %s %q", name, err, tt.code, tt.text)
		}
	}
	for range loci.MaxGoldenQuestions - 1 {
		_, err := d.Golden.Create(ctx, d.mara, golden.Draft{Question: "x", Expected: mine})
		d.must(err)
	}
	_, err := d.Golden.Create(ctx, d.mara, golden.Draft{Question: "x", Expected: mine})
	if loci.CodeOf(err) != loci.Conflict || !strings.Contains(err.Error(), "100 golden questions") {
		t.Errorf("one too many: %v", err)
	}
	if _, err := d.Golden.Run(ctx, d.owner); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("a run without questions: %v", err)
	}
}

// TestGoldenIsPrivate asks others for a question of Mara's as for one that never was.
func TestGoldenIsPrivate(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	_, err := d.Golden.Run(ctx, d.mara)
	d.must(err)
	_, secret, err := d.Identity.CreateKey(ctx, d.mara, auth.KeyRequest{Name: "k",
		ProjectIDs: []loci.ProjectID{d.project}})
	d.must(err)
	hers := d.with(secret)
	for name, p := range map[string]loci.Principal{"the owner": d.owner, "a mate": d.tom, "a limited key": hers} {
		list, err := d.Golden.List(ctx, p)
		d.must(err)
		runs, err := d.Golden.Runs(ctx, p, 0, "")
		d.must(err)
		if len(list)+len(runs.Items) > 0 {
			t.Errorf("%s sees %+v and %+v", name, list, runs)
		}
		for _, id := range []loci.GoldenID{d.golden(), loci.NewGoldenID()} {
			_, changed := d.Golden.Update(ctx, p, id, golden.Patch{Question: new("mine now")})
			deleted := d.Golden.Delete(ctx, p, id)
			if got := fmt.Sprint(changed, deleted); got != "no such golden question no such golden question" {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	_, err = d.Golden.Create(ctx, hers, golden.Draft{Question: "x", Expected: []loci.MemoryID{d.memory.ID}})
	if loci.CodeOf(err) != loci.Forbidden || !strings.Contains(err.Error(), "limited to projects") {
		t.Errorf("a limited key creates a question: %v", err)
	}
	if list, err := d.Golden.List(ctx, d.key); err != nil || len(list) != 1 {
		t.Errorf("Mara's other key sees %v, %v; want one question", list, err)
	}
}

// TestGoldenChanges changes a question whose memory is gone: what it expected already may stay.
func TestGoldenChanges(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	_, err := d.Memory.Trash(ctx, d.mara, d.memory.ID, 0)
	d.must(err)
	other := d.add(d.mara, memory.Draft{Title: "other", Content: "x"}).ID
	got, err := d.Golden.Update(ctx, d.mara, d.golden(), golden.Patch{Question: new("another"),
		Expected: []loci.MemoryID{d.memory.ID, other}})
	d.must(err)
	want := []loci.GoldenMemory{{ID: d.memory.ID}, {ID: other, Title: "other"}}
	if diff := cmp.Diff(want, got.Expected); diff != "" || got.Question != "another" {
		t.Errorf("%q (-want +got):\n%s", got.Question, diff)
	}
	_, err = d.Golden.Update(ctx, d.mara, d.golden(), golden.Patch{Expected: []loci.MemoryID{loci.NewMemoryID()}})
	if loci.CodeOf(err) != loci.Invalid {
		t.Errorf("expects what is not there: %v", err)
	}
	for _, bad := range []golden.Patch{{Question: new("")}, {Expected: []loci.MemoryID{}}} {
		if _, err := d.Golden.Update(ctx, d.mara, d.golden(), bad); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
