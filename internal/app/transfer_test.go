package app_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/transfer"
)

func TestExportImportExportIsTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for i, p := range []loci.Principal{w.claude, w.other, w.owner} {
		m := w.add(p, memory.Draft{Title: p.Origin, Content: "日本語 <b> \u2028 \\n " + p.Origin, Tags: []string{"x"},
			ExpiresAt: w.now.Add(time.Duration(i+1) * time.Hour)})
		for range i {
			more := m.Content + "!"
			if _, err := w.Memory.Patch(ctx, w.owner, m.ID, 0, memory.Patch{Content: loci.Set(more)}); err != nil {
				t.Fatal(err)
			}
		}
		if i == 2 {
			if _, err := w.Memory.Trash(ctx, w.owner, m.ID, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.now = w.now.Add(90 * time.Minute) // one has expired
	var first, second bytes.Buffer
	if n, err := w.Transfer.Export(ctx, w.local, &first); n.Rows["memory"] != 3 || err != nil {
		t.Fatalf("exported %+v, %v", n, err)
	}
	fresh := newWorld(t)
	for round, want := range []transfer.ImportReport{{Lines: 5, Added: 3}, {Lines: 5, Present: 3}} {
		got, err := fresh.Transfer.Import(ctx, fresh.local, bytes.NewReader(first.Bytes()), transfer.ImportOptions{})
		want.Bytes = int64(first.Len())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("round %d: %v\n%s", round, err, diff)
		}
	}
	if _, err := fresh.Transfer.Export(ctx, fresh.local, &second); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.String(), second.String()); diff != "" {
		t.Error(diff)
	}
	if bytes.Contains(first.Bytes(), []byte(w.owner.UserID.String())) {
		t.Error("the export names its person")
	}
}

func TestImportIsIdempotentWhateverTheSpelling(t *testing.T) {
	t.Parallel()
	const line = `{"memory":{"id":"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e","title":"t","content":"c","tags":null,` +
		`"memory_type":"semantic","category":"fact",` +
		`"importance":5,"source":"manual","scope":"global","origin":"claude","allowed_vendors":["*"],` +
		`"created_at":"2026-01-01T10:00:00.123456789+01:00",` +
		`"updated_at":"2026-01-01T09:00:00.1234569Z","version":1,"change":"created","editor":"claude"}}`
	w := newWorld(t)
	for round, want := range []transfer.ImportReport{{Added: 1}, {Present: 1}} {
		got, err := w.Transfer.Import(t.Context(), w.local, strings.NewReader(exportHead+line+"\n"), transfer.ImportOptions{})
		if err != nil || got.Added != want.Added || got.Present != want.Present {
			t.Errorf("round %d: %+v, %v", round, got, err)
		}
	}
	for name, bad := range map[string]string{
		"surrogate":       strings.Replace(line, `"content":"c"`, `"content":"\ud800"`, 1),
		"UTF-8":           strings.Replace(line, `"content":"c"`, "\"content\":\"\xff\"", 1),
		"appears twice":   strings.Replace(line, `"content":"c"`, `"content":"c","content":"d"`, 1),
		"more text after": line + " 1",
		"origin":          strings.Replace(line, `"origin":"claude"`, `"origin":"api\nforged"`, 1),
		"agent_id":        strings.Replace(line, `"scope":"global"`, `"scope":"agent"`, 1),
	} {
		var text string
		got, err := newWorld(t).Transfer.Import(t.Context(), w.local, strings.NewReader(exportHead+bad+"\n"),
			transfer.ImportOptions{Problem: func(p jsonlines.Problem) { text = p.Text }})
		if err != nil || got.Refused != 1 || !strings.Contains(text, name) {
			t.Errorf("%s: %+v, %q, %v", name, got, text, err)
		}
	}
}

const exportHead = `{"loci":"export","format":1}` + "\n"

func TestImportLeavesOutBadLines(t *testing.T) {
	t.Parallel()
	source := newWorld(t)
	for _, title := range []string{"a", "b", "c"} {
		source.add(source.owner, memory.Draft{Title: title, Content: title})
	}
	var export bytes.Buffer
	if _, err := source.Transfer.Export(t.Context(), source.local, &export); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(export.String(), "\n")
	changed := strings.Replace(lines[1], `"content":"a"`, `"content":"other"`, 1)
	input := lines[0] + lines[1] + "{not json}\n" + `{"memory":{"id":"` + strings.Repeat("x", 36) + `"}}` + "\n" +
		changed + lines[2] + lines[3] + lines[4]
	w := newWorld(t)
	var problems []int
	got, err := w.Transfer.Import(t.Context(), w.local, strings.NewReader(recounted(input)),
		transfer.ImportOptions{Problem: func(p jsonlines.Problem) { problems = append(problems, p.Line) }})
	if err != nil || got.Added != 3 || got.Refused != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if diff := cmp.Diff([]int{3, 4, 5}, problems); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "{}\n", `{"loci":"export","format":99}` + "\n"} {
		_, err := w.Transfer.Import(t.Context(), w.local, strings.NewReader(bad), transfer.ImportOptions{})
		wantCode(t, err, loci.Invalid)
	}
	dry := newWorld(t)
	got, err = dry.Transfer.Import(t.Context(), dry.local, &export, transfer.ImportOptions{DryRun: true})
	page, listErr := dry.Memory.List(t.Context(), dry.local, memory.ListRequest{})
	if err != nil || listErr != nil || got.Added != 3 || len(page.Items) != 0 {
		t.Errorf("dry run: %+v, %d stored, %v %v", got, len(page.Items), err, listErr)
	}
}

// A frequent word must not bury the one memory that has all the words.
func TestSearchFindsWhatHasEveryWordBelowTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 3 {
		w.add(w.owner, memory.Draft{Title: "Deploys", Content: "We deploy on Tuesdays.", Dedupe: memory.DedupeCreate})
	}
	var lines bytes.Buffer
	lines.WriteString(exportHead)
	for range 10_001 {
		fmt.Fprintf(&lines, `{"memory":{"id":%q,"title":"t","content":"deploys","scope":"global","origin":"api",`+
			`"allowed_vendors":["*"],`+
			`"created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-01T10:00:00Z","version":1,"change":"created",`+
			`"editor":"api"}}`+"\n", loci.NewMemoryID())
	}
	if got, err := w.Transfer.Import(t.Context(), w.local, &lines, transfer.ImportOptions{}); err != nil ||
		got.Added != 10_001 {
		t.Fatalf("%+v, %v", got, err)
	}
	page, err := w.Memory.Search(t.Context(), w.owner, memory.SearchRequest{Query: "deploys tuesdays", Limit: 1})
	if err != nil || len(page.Items) != 1 || page.Items[0].Memory.Title != "Deploys" || !page.TotalIsLowerBound {
		t.Errorf("%+v, %v", page, err)
	}
	deep := memory.SearchRequest{Query: "deploys tuesdays", Limit: 1, Offset: gate.MaxOffset}
	for range 4 { // to the very end
		if page, err = w.Memory.Search(t.Context(), w.owner, deep); err != nil || len(page.Items) != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		deep.Offset, deep.Cursor = 0, page.NextCursor
	}
	if page.NextCursor != "" {
		t.Error("a page after the last")
	}
}

// records counts what an export has, besides its header and the bytes of attachments.
func records(export string) int {
	return strings.Count(export, "\n") - 2 - strings.Count(export, `{"blob":`) // neither the first nor the last line
}

// An import into another org must not end up in a team or workspace there, or
// in none that anybody reads.
func TestImportLeavesForeignTeamsAndWorkspaces(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	_, err := c.Memory.Share(ctx, c.mara, c.memory.ID)
	c.must(err)
	var sent bytes.Buffer
	if _, err := c.App.Transfer.Export(ctx, c.mara, &sent); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(sent.String(), `"team_id"`) {
		t.Error("the export names a team, which nobody has elsewhere")
	}
	operator, boss := c.org("other", "boss@other.example")
	foreign := strings.ReplaceAll(sent.String(), c.memory.ID.String(), loci.NewMemoryID().String())
	foreign = strings.ReplaceAll(foreign, c.trashed.ID.String(), loci.NewMemoryID().String())
	report, err := c.App.Transfer.Import(ctx, operator, strings.NewReader(foreign), transfer.ImportOptions{})
	if err != nil || report.Added != records(foreign) {
		t.Fatalf("%+v, %v", report, err)
	}
	page, err := c.Memory.List(ctx, c.session(boss), memory.ListRequest{})
	c.must(err)
	if len(page.Items) != 1 || !page.Items[0].TeamID.IsZero() {
		t.Errorf("got %+v", page.Items)
	}
	again, err := c.App.Transfer.Import(ctx, operator, strings.NewReader(foreign), transfer.ImportOptions{})
	if err != nil || again.Present != records(foreign) || again.Refused != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// What was said before comes into the workspace, too: in one that is nobody's here
// no one could read it.
func TestImportTakesVersionsAlong(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	title := "said later"
	_, err := c.Memory.Patch(ctx, c.mara, c.memory.ID, 0, memory.Patch{Title: loci.Set(title)})
	c.must(err)
	var sent bytes.Buffer
	_, err = c.App.Transfer.Export(ctx, c.mara, &sent)
	c.must(err)
	id := loci.NewMemoryID()
	foreign := strings.ReplaceAll(sent.String(), c.memory.ID.String(), id.String())
	foreign = strings.ReplaceAll(foreign, c.trashed.ID.String(), loci.NewMemoryID().String())
	foreign = strings.ReplaceAll(foreign, `"scope":`, `"workspace_id":"`+loci.NewWorkspaceID().String()+`","scope":`)
	_, boss := c.org("other", "boss@other.example")
	_, err = c.Org.Set(ctx, c.session(boss), org.Settings{Workspaces: new(true)})
	c.must(err)
	there, operator := c.session(boss), c.stage.operator("other")
	report, err := c.App.Transfer.Import(ctx, operator, strings.NewReader(foreign), transfer.ImportOptions{})
	if err != nil || report.Added != records(foreign) || there.WorkspaceID.IsZero() ||
		operator.WorkspaceID != there.WorkspaceID {
		t.Fatalf("from workspace %s to %s: %+v, %v", operator.WorkspaceID, there.WorkspaceID, report, err)
	}
	versions, _, err := c.Memory.Versions(ctx, there, id, 0, 10)
	if err != nil || len(versions) != 1 || versions[0].Title == title {
		t.Errorf("got %d versions, %v", len(versions), err)
	}
}

// An export says nothing of the org that it comes from: from workspace to workspace it stays the same to the byte.
func TestExportIsTheSameInAnotherWorkspace(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	var sent []string
	for i, name := range []loci.OrgID{"one", "two"} {
		_, owner := c.org(name, "boss@"+string(name)+".example")
		boss := c.session(owner)
		_, err := c.Org.Set(ctx, boss, org.Settings{Workspaces: new(true)})
		c.must(err)
		boss = c.session(owner)
		if i == 0 {
			made, err := c.Memory.Create(ctx, boss, memory.Draft{Title: "t", Content: "c"})
			c.must(err)
			title := "later"
			_, err = c.Memory.Patch(ctx, boss, made.ID, 0, memory.Patch{Title: loci.Set(title)})
			c.must(err)
		} else if report, err := c.App.Transfer.Import(ctx, c.stage.operator(name), strings.NewReader(sent[0]),
			transfer.ImportOptions{}); err != nil || report.Added != records(sent[0]) {
			t.Fatalf("%+v, %v", report, err)
		}
		var out bytes.Buffer
		_, err = c.App.Transfer.Export(ctx, c.stage.operator(name), &out)
		c.must(err)
		sent = append(sent, out.String())
	}
	if diff := cmp.Diff(sent[0], sent[1]); diff != "" {
		t.Error(diff)
	}
}
