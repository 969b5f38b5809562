package app_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
)

// TestBulkMovesMemories moves memories into a project and back, all or none, and checks who sees them then.
func TestBulkMovesMemories(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	add := func(key, title string) *loci.Memory {
		return d.add(d.mara, memory.Draft{Key: key, Title: title, Content: title})
	}
	one, two := add("deploy.day", "on Tuesdays"), add("", "on Fridays")
	to := func(scope loci.Scope, project loci.ProjectID, all ...*loci.Memory) (items []memory.BulkItem) {
		for _, m := range all {
			items = append(items, memory.BulkItem{Op: loci.BulkUpdate, ID: m.ID,
				Patch: memory.Patch{Scope: loci.Set(scope), ProjectID: loci.Set(project)}})
		}
		return items
	}
	sees := func(p loci.Principal) (n int) {
		for _, m := range []*loci.Memory{one, two} {
			if _, err := d.Memory.Get(ctx, p, m.ID); err == nil {
				n++
			}
		}
		return n
	}
	results, err := d.Memory.Bulk(ctx, d.mara, to(loci.ScopeProject, d.project, one, two), true)
	d.must(err)
	if len(results) != 2 || results[0].Version != 2 || sees(d.tom) != 2 {
		t.Errorf("into the project: %+v, a member sees %d of 2", results, sees(d.tom))
	}
	for _, r := range results {
		_, err := d.Memory.Revert(ctx, d.mara, r.ID, r.Version, r.Version-1)
		d.must(err)
	}
	if got, err := d.Memory.Get(ctx, d.mara, one.ID); err != nil || got.Scope != loci.ScopeGlobal || sees(d.tom) != 0 {
		t.Errorf("after the undo: %+v, %v; a member sees %d", got, err, sees(d.tom))
	}
}

// TestBulkRejectsMoves moves memories where they may not go, and demands that none moves, with a reason for each.
func TestBulkRejectsMoves(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	taken := d.add(d.mara, memory.Draft{Key: "k", Title: "there", Content: "x", Scope: loci.ScopeProject,
		ProjectID: d.project})
	keyed, plain := d.add(d.mara, memory.Draft{Key: "k", Title: "here", Content: "y"}),
		d.add(d.mara, memory.Draft{Title: "plain", Content: "z"})
	hers := d.add(d.owner, memory.Draft{Title: "of the owner", Content: "w"})
	_, secret, err := d.Identity.CreateKey(ctx, d.mara, auth.KeyRequest{Name: "k",
		ProjectIDs: []loci.ProjectID{d.project}})
	d.must(err)
	inside := d.add(d.mara, memory.Draft{Title: "inside", Content: "v", Scope: loci.ScopeProject, ProjectID: d.project})
	for name, tt := range map[string]struct {
		p       loci.Principal
		m       *loci.Memory
		scope   loci.Scope
		project loci.ProjectID
		code    loci.Code
		text    string
	}{
		"to a key that is taken":   {d.mara, keyed, loci.ScopeProject, d.project, loci.Conflict, taken.ID.String()},
		"into no project":          {d.mara, plain, loci.ScopeProject, loci.NewProjectID(), loci.Invalid, "project_id"},
		"without a project":        {d.mara, plain, loci.ScopeProject, loci.ProjectID{}, loci.Invalid, "project_id"},
		"into an archived project": {d.mara, plain, loci.ScopeProject, d.archived, loci.Conflict, "archived"},
		"to no agent":              {d.mara, plain, loci.ScopeAgent, loci.ProjectID{}, loci.Invalid, "agent_id"},
		"of another person":        {d.mara, hers, loci.ScopeProject, d.project, loci.NotFound, "no such memory"},
		"by another vendor":        {d.claude, inside, loci.ScopeGlobal, loci.ProjectID{}, loci.Forbidden, "wrote it"},
		"out of a limited key":     {d.with(secret), inside, loci.ScopeGlobal, loci.ProjectID{}, loci.Invalid, "project_id"},
	} {
		with := memory.BulkItem{Op: loci.BulkUpdate, ID: plain.ID, Patch: memory.Patch{Title: loci.Set("changed too")}}
		if tt.p.Kind == loci.KindAgent || tt.p.OnlyProjects {
			with.ID = inside.ID
		}
		moved := memory.BulkItem{Op: loci.BulkUpdate, ID: tt.m.ID, Patch: memory.Patch{Scope: loci.Set(tt.scope),
			ProjectID: loci.Set(tt.project)}}
		_, err := d.Memory.Bulk(ctx, tt.p, []memory.BulkItem{with, moved}, true)
		items, ok := errors.AsType[*loci.ItemsError](err)
		if !ok && (tt.project != d.archived || loci.CodeOf(err) != tt.code) { // which is looked for before the rest
			t.Errorf("%s: got %v, want a reason for each", name, err)
		}
		if !ok {
			continue
		}
		last := items.Items[len(items.Items)-1]
		if last.Index != 1 || last.Code != tt.code || !strings.Contains(last.Text, tt.text) {
			t.Errorf("%s: got %+v, want %s %q", name, last, tt.code, tt.text)
		}
		_, single := d.Memory.Patch(ctx, tt.p, tt.m.ID, 0, moved.Patch)
		if loci.CodeOf(single) != tt.code {
			t.Errorf("%s: alone %v, want %s", name, single, tt.code)
		}
	}
	if got, err := d.Memory.Get(ctx, d.mara, plain.ID); err != nil || got.Version != 1 {
		t.Errorf("a part of what was refused is stored: %+v, %v", got, err)
	}
	second := d.add(d.mara, memory.Draft{Key: "twin", Title: "t1", Content: "a"})
	third := d.add(d.mara, memory.Draft{Key: "twin", Title: "t2", Content: "b", Dedupe: memory.DedupeCreate})
	scope := loci.ScopeProject
	patch := memory.Patch{Scope: loci.Set(scope), ProjectID: loci.Set(d.project)}
	_, err = d.Memory.Bulk(ctx, d.mara, []memory.BulkItem{{Op: loci.BulkUpdate, ID: second.ID, Patch: patch},
		{Op: loci.BulkUpdate, ID: third.ID, Patch: patch}}, true)
	items, ok := errors.AsType[*loci.ItemsError](err)
	if !ok || len(items.Items) != 1 || items.Items[0].Index != 1 || items.Items[0].Code != loci.Conflict {
		t.Errorf("two with one key: %v", err)
	}
}
