package app_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
)

func creating(title, key string) memory.BulkItem {
	return memory.BulkItem{Op: loci.BulkCreate, Draft: memory.Draft{Title: title, Content: "about " + title, Key: key}}
}

// everything returns all memories of the owner, trashed ones too, as they are.
func (w *world) everything() []*loci.Memory {
	w.t.Helper()
	page, err := w.Memory.List(w.t.Context(), w.owner,
		memory.ListRequest{Filter: memory.Filter{Lifecycle: loci.AnyState}, Limit: 500})
	if err != nil {
		w.t.Fatal(err)
	}
	return page.Items
}

func TestBulkDoesAllInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, gone := w.add(w.owner, memory.Draft{Title: "old", Content: "c"}),
		w.add(w.owner, memory.Draft{Title: "gone", Content: "c"})
	results, err := w.Memory.Bulk(t.Context(), w.owner, []memory.BulkItem{
		creating("one", "the.key"),
		{Op: loci.BulkUpdate, ID: old.ID, IfVersion: 1, Patch: memory.Patch{Title: loci.Set("new")}},
		{Op: loci.BulkTrash, ID: gone.ID},
		creating("two", "the.key"),
		{Op: loci.BulkUpdate, ID: old.ID, Patch: memory.Patch{Title: loci.Set("new")}},
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	id := results[0].ID
	want := []loci.BulkResult{
		{Op: loci.BulkCreate, ID: id, Version: 1, Created: true},
		{Index: 1, Op: loci.BulkUpdate, ID: old.ID, Version: 2},
		{Index: 2, Op: loci.BulkTrash, ID: gone.ID, Version: 2},
		{Index: 3, Op: loci.BulkCreate, ID: id, Version: 2, ReplacedVersion: 1, ReplacedTitle: "one"},
		{Index: 4, Op: loci.BulkUpdate, ID: old.ID, Version: 2, Unchanged: true},
	}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Error(diff)
	}
	page, err := w.Memory.List(t.Context(), w.owner, memory.ListRequest{})
	if err != nil || titles(page.Items) != "two new" {
		t.Errorf("lists %q, %v", titles(page.Items), err)
	}
}

func TestBulkDoesNothingIfOneIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine := w.add(w.owner, memory.Draft{Title: "mine", Content: "c"})
	before := w.everything()
	results, err := w.Memory.Bulk(t.Context(), w.owner, []memory.BulkItem{
		creating("one", ""),
		{Op: loci.BulkTrash, ID: mine.ID},
		{Op: loci.BulkTrash, ID: loci.NewMemoryID()},
		{Op: loci.BulkUpdate, ID: mine.ID, Patch: memory.Patch{Title: loci.Set("")}},
		{Op: loci.BulkTrash, ID: mine.ID, IfVersion: 7},
	}, true)
	var refused *loci.ItemsError
	if !errors.As(err, &refused) || results != nil {
		t.Fatalf("got %v, %v", results, err)
	}
	var got []string
	for _, i := range refused.Items {
		got = append(got, strings.Repeat("x", i.Index)+" "+string(i.Code))
	}
	// The fourth and fifth find it in the trash, into which the second moved it.
	if diff := cmp.Diff([]string{"xx not_found", "xxx not_found", "xxxx conflict"}, got); diff != "" {
		t.Error(diff)
	}
	_, err = w.Memory.Bulk(t.Context(), w.owner,
		[]memory.BulkItem{creating("one", ""), creating("", ""), creating(strings.Repeat("x", 501), "")}, true)
	if !errors.As(err, &refused) || len(refused.Items) != 2 || refused.Items[0].Index != 1 || refused.Items[1].Index != 2 {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, w.everything()); diff != "" {
		t.Errorf("something was changed:\n%s", diff)
	}
}

func TestBulkOneByOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	results, err := w.Memory.Bulk(t.Context(), w.owner, []memory.BulkItem{
		creating("one", ""), {Op: loci.BulkTrash, ID: loci.NewMemoryID()}, creating("", ""), creating("two", "")}, false)
	if err != nil || len(results) != 4 {
		t.Fatalf("got %v, %v", results, err)
	}
	for i, code := range []loci.Code{"", loci.NotFound, loci.Invalid, ""} {
		r := results[i]
		if r.Index != i || (r.Error == nil) != (code == "") || code != "" && (r.Error.Code != code || r.Error.Index != i) {
			t.Errorf("result %d is %+v", i, r)
		}
	}
	if n := len(w.everything()); n != 2 {
		t.Errorf("%d memories", n)
	}
}

func TestBulkLimitsAndRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for name, items := range map[string][]memory.BulkItem{"none": nil, "too many": make([]memory.BulkItem, 1001),
		"unknown": {{Op: "erase"}}} {
		_, err := w.Memory.Bulk(ctx, w.owner, items, true)
		wantCode(t, err, loci.Invalid)
		if loci.FieldOf(err) != "operations" {
			t.Errorf("%s: %v", name, err)
		}
	}
	mine := w.add(w.owner, memory.Draft{Title: "mine", Content: "c"})
	_, err := w.Memory.Bulk(ctx, w.claude,
		[]memory.BulkItem{creating("one", ""), {Op: loci.BulkUpdate, ID: mine.ID, Patch: memory.Patch{Title: loci.Set("x")}}},
		true)
	wantCode(t, err, loci.Forbidden)
	if n := len(w.everything()); n != 1 {
		t.Errorf("%d memories", n)
	}
	// What an agent may not see is what never was, also in a bulk call.
	hidden := w.add(w.owner, memory.Draft{Title: "hidden", Content: "c", AllowedVendors: []loci.Vendor{"cursor"}})
	_, err = w.Memory.Bulk(ctx, w.claude, []memory.BulkItem{{Op: loci.BulkTrash, ID: hidden.ID}}, true)
	_, never := w.Memory.Bulk(ctx, w.claude, []memory.BulkItem{{Op: loci.BulkTrash, ID: loci.NewMemoryID()}}, true)
	if err == nil || never == nil || err.Error() != never.Error() {
		t.Errorf("hidden %v and absent %v differ", err, never)
	}
}

// Each operation needs the rights of its own action, and is refused what a single call is refused.
func TestOperationsOfABulkAreAuthorised(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	writes := c.stage.key(c.mara, auth.KeyRequest{Rights: []loci.Right{loci.RightWrite}})
	create := func(change func(*memory.Draft)) memory.BulkItem {
		d := memory.Draft{Title: "t", Content: "c"}
		change(&d)
		return memory.BulkItem{Op: loci.BulkCreate, Draft: d}
	}
	plain := create(func(*memory.Draft) {})
	for name, tt := range map[string]struct {
		who  loci.Principal
		item memory.BulkItem
		code loci.Code
	}{
		"an update without the right to read": {writes,
			memory.BulkItem{Op: loci.BulkUpdate, ID: c.memory.ID, Patch: memory.Patch{Title: loci.Set("x")}}, loci.Forbidden},
		"a trash without the right to read": {writes, memory.BulkItem{Op: loci.BulkTrash, ID: c.memory.ID}, loci.Forbidden},
		"a replacement without the right to read": {writes,
			create(func(d *memory.Draft) { d.Supersedes = []loci.MemoryID{c.memory.ID} }), loci.Forbidden},
		"shared without the right to read": {writes, create(func(d *memory.Draft) { d.Share = true }), loci.Forbidden},
		"shared with no team":              {c.ines, create(func(d *memory.Draft) { d.Share = true }), loci.Conflict},
		"in an archived project": {c.mara, create(func(d *memory.Draft) {
			d.Scope, d.ProjectID = loci.ScopeProject, c.archived
		}), loci.Conflict},
	} {
		for _, together := range []bool{true, false} {
			done, err := c.Memory.Bulk(t.Context(), tt.who, []memory.BulkItem{plain, tt.item}, together)
			if err == nil && done[1].Error != nil {
				err = loci.Errorf(done[1].Error.Code, "%s", done[1].Error.Text)
			}
			if loci.CodeOf(err) != tt.code {
				t.Errorf("%s, together %t: got %v, want code %q", name, together, err, tt.code)
			}
		}
	}
}

// Each create of a bulk call tells of similar memories as a single save does, also of those of the same call; but not
// more creates than the bound.
func TestBulkTellsOfSimilar(t *testing.T) {
	w := newWorld(t)
	create := func(content string) memory.BulkItem {
		return memory.BulkItem{Op: loci.BulkCreate, Draft: memory.Draft{Title: "Note", Content: content}}
	}
	stored := w.add(w.other, memory.Draft{Title: "Port", Content: "The staging server listens on port 8080"})
	for _, together := range []bool{true, false} {
		results, err := w.Memory.Bulk(t.Context(), w.claude, []memory.BulkItem{
			create("The staging server listens on port 9090"),
			create("The choir meets every Monday in the old school"),
			create("the choir meets every monday, in the old school"),
		}, together)
		if err != nil {
			t.Fatal(err)
		}
		port, same := results[0].Similar, results[2].Similar
		if !slices.ContainsFunc(port, func(s loci.Similar) bool { return s.ID == stored.ID }) {
			t.Errorf("together %v: the port is like %+v", together, port)
		}
		if len(same) == 0 || same[0].Relation != loci.Duplicate || results[2].SimilarSkipped {
			t.Errorf("together %v: the repetition is like %+v", together, same)
		}
	}
	many := make([]memory.BulkItem, 52)
	for i := range many {
		many[i] = create(fmt.Sprintf("Candidate %d writes about nothing but the weather", i))
	}
	many[0].Draft.NotCompared = true
	results, err := w.Memory.Bulk(t.Context(), w.claude, many, true)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if skipped := i == 0 || i == 51; r.SimilarSkipped != skipped || (len(r.Similar) == 0) != skipped {
			t.Errorf("create %d says skipped %v and is like %d", i, r.SimilarSkipped, len(r.Similar))
		}
	}
}
