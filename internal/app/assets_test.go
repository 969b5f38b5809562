package app_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
)

func (w *world) attach(p loci.Principal, id loci.MemoryID, name, content string) loci.Asset {
	w.t.Helper()
	a, _, err := w.Memory.AddAsset(w.t.Context(), p, id, file(name, content))
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) bytesOf(p loci.Principal, id loci.AssetID) (string, error) {
	_, f, err := w.Memory.OpenAsset(w.t.Context(), p, id)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(f)
	return string(text), errors.Join(err, f.Close())
}

// What a file is taken for is decided by its bytes. A claim counts only where it says more of the same.
func TestSniffedTypeBeatsTheClaimedOne(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	zeros := strings.Repeat("\x01\x02", 40)
	for _, tt := range []struct{ name, bytes, claimed, want string }{
		{"a page that is called an image", "<!DOCTYPE html><script>alert(1)</script>", "image/png",
			"text/html; charset=utf-8"},
		{"an image that is called a page", png, "text/html", "image/png"},
		{"an image that is called a script", png, "text/javascript", "image/png"},
		{"an image that is called bytes", png, "application/octet-stream", "image/png"},
		{"nothing is said", png, "", "image/png"},
		{"nonsense is said", "hello", "; ;", "text/plain; charset=utf-8"},
		{"a family is said", "hello", "text/*", "text/plain; charset=utf-8"},
		{"text that is called markdown", "# Title", "text/markdown", "text/markdown; charset=utf-8"},
		{"text of a charset", "gr\xfc\xdfe", "text/csv; charset=ISO-8859-1", "text/csv; charset=iso-8859-1"},
		{"text that is no UTF-8", "gr\xfc\xdfe", "", "text/plain; charset=iso-8859-1"},
		{"text that is called json", `{"a":1}`, "text/plain", "application/json"},
		{"text that is called an image", "hello", "image/png", "text/plain; charset=utf-8"},
		{"text that is called a drawing", "hello", "image/svg+xml", "text/plain; charset=utf-8"},
		{"text that is called what curl calls everything", "hello", "application/x-www-form-urlencoded",
			"text/plain; charset=utf-8"},
		{"a drawing that is called text", "<?xml version=\"1.0\"?>\n<!-- x -->\n<svg xmlns=\"http://www.w3.org/2000/svg\">",
			"text/plain", "image/svg+xml"},
		{"a drawing without a declaration", "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>", "image/png",
			"image/svg+xml"},
		{"text about a drawing", "how <svg > works", "", "text/plain; charset=utf-8"},
		{"xml that is called something of xml", "<?xml version=\"1.0\"?><a/>", "application/atom+xml",
			"application/atom+xml; charset=utf-8"},
		{"bytes that are called a molecule", zeros, "chemical/x-pdb", "chemical/x-pdb"},
		{"bytes that are called an image", zeros, "image/png", "application/octet-stream"},
		{"bytes that are called a page", zeros, "text/html", "application/octet-stream"},
		{"bytes that are called pdf", zeros, "application/pdf", "application/octet-stream"},
		{"bytes that are called parquet", zeros, "application/vnd.apache.parquet", "application/octet-stream"},
		{"a zip that is called a document", "PK\x03\x04" + zeros,
			"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
			"application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"a zip that is called an image", "PK\x03\x04" + zeros, "image/png", "application/zip"},
		{"a document of old", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + zeros, "application/msword", "application/msword"},
		{"a program that is called text", "\x7fELF" + zeros, "text/plain", "application/x-elf"},
		{"a picture of a phone", "\x00\x00\x00\x20ftypheic" + zeros, "", "image/heic"},
		{"a character that is cut", strings.Repeat("x", 3070) + "€uro", "", "text/plain; charset=utf-8"},
		{"nothing at all", "", "image/png", "text/plain"},
		{"sentences with commas", "Milk, bread, two lemons\nRice, salt, one onion\n", "", "text/plain; charset=utf-8"},
		{"a table", "day,deploys,errors\n1,2,0\n2,4,1\n", "text/csv", "text/csv; charset=utf-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			m := w.add(w.owner, memory.Draft{Title: "m", Content: "c"})
			u := file("f", tt.bytes)
			u.MediaType = tt.claimed
			a, added, err := w.Memory.AddAsset(t.Context(), w.owner, m.ID, u)
			if err != nil || !added || a.MediaType != tt.want {
				t.Errorf("got %q, added %t, %v; want %q", a.MediaType, added, err, tt.want)
			}
			if got, err := w.bytesOf(w.owner, a.ID); got != tt.bytes || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestOnlyTheWriterAddsToAMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	mine := w.add(w.claude, memory.Draft{Title: "mine", Content: "c", AllowedVendors: []loci.Vendor{"claude", "cursor"}})
	a := w.attach(w.claude, mine.ID, "a.txt", "of claude")
	if a.Origin != "claude" || a.UserID != w.owner.UserID || a.Size != 9 {
		t.Errorf("got %+v", a)
	}
	w.attach(w.owner, mine.ID, "b.txt", "of the person")
	_, _, err := w.Memory.AddAsset(ctx, w.other, mine.ID, file("c.txt", "of cursor"))
	wantCode(t, err, loci.Forbidden)
	_, _, err = w.Memory.AddSources(ctx, w.other, mine.ID, []loci.Source{{Kind: loci.SourceText, Text: "x"}})
	wantCode(t, err, loci.Forbidden)
	wantCode(t, w.Memory.DeleteAsset(ctx, w.other, a.ID), loci.Forbidden)
	if list, err := w.Memory.Assets(ctx, w.other, mine.ID); err != nil || len(list) != 2 {
		t.Errorf("cursor sees %v, %v", list, err)
	}
	if err := w.Memory.DeleteAsset(ctx, w.claude, a.ID); err != nil {
		t.Errorf("its own: %v", err)
	}
	list, err := w.Memory.Assets(ctx, w.claude, mine.ID)
	if err != nil || len(list) != 1 {
		t.Fatalf("got %v, %v", list, err)
	}
	wantCode(t, w.Memory.DeleteAsset(ctx, w.claude, list[0].ID), loci.Forbidden) // the person attached that
	stranger := w.owner
	stranger.UserID = loci.NewUserID()
	_, _, err = w.Memory.AddAsset(ctx, stranger, mine.ID, file("d", "x"))
	wantCode(t, err, loci.NotFound)
}

// Hidden means absent for every call, with the very same error.
func TestFilesAndSourcesAreHiddenWithTheirMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		vendors := rapid.SampledFrom([][]loci.Vendor{{"*"}, {"claude"}, {"cursor"}, {"claude", "cursor"}, {"gemini"}}).Draw(
			rt, "vendors")
		m := w.add(w.owner, memory.Draft{Title: "m", Content: "c", AllowedVendors: vendors, Dedupe: memory.DedupeCreate})
		a := w.attach(w.owner, m.ID, "a.txt", "content of "+m.ID.String())
		own := vendors
		if slices.Contains(vendors, "claude") && rapid.Bool().Draw(rt, "narrower") {
			own = []loci.Vendor{"claude"}
		}
		list, _, err := w.Memory.AddSources(ctx, w.owner, m.ID,
			[]loci.Source{{Kind: loci.SourceText, Text: "x", AllowedVendors: own}})
		if err != nil {
			rt.Fatal(err)
		}
		if rapid.IntRange(0, 3).Draw(rt, "trashed") == 0 {
			gone, err := w.Memory.Trash(ctx, w.owner, m.ID, 0)
			if err != nil {
				rt.Fatal(err)
			}
			m = &gone.Memory
		}
		for _, p := range []loci.Principal{w.owner, w.claude, w.other} {
			life := loci.LiveOnly
			if p.Vendor == "" {
				life = loci.LiveOrTrash
			}
			sees := p.Viewer().Sees(&m.Access, life, w.now)
			narrow := m.Access
			narrow.AllowedVendors = own
			seesSource := sees && p.Viewer().Sees(&narrow, life, w.now)
			w.hiddenAsAbsent(rt, p, m.ID, a.ID, sees)
			sources, err := w.Memory.Sources(ctx, p, m.ID)
			if sees != (err == nil) || seesSource != (len(sources) == 1) {
				rt.Fatalf("%+v: sources %v, %v; sees the memory %t, the source %t", p, sources, err, sees, seesSource)
			}
			if p.Vendor != "" {
				got, want := w.Memory.DeleteSource(ctx, p, list[0].ID), w.Memory.DeleteSource(ctx, p, loci.NewSourceID())
				if same := got.Error() == want.Error() && loci.CodeOf(got) == loci.CodeOf(want); same == seesSource {
					rt.Fatalf("%s deletes a source that it sees %t: %v, one that is not: %v", p.Vendor, seesSource, got, want)
				}
			}
		}
	})
}

func (w *world) hiddenAsAbsent(rt *rapid.T, p loci.Principal, id loci.MemoryID, asset loci.AssetID, sees bool) {
	ctx := w.t.Context()
	for name, call := range map[string]func(loci.MemoryID, loci.AssetID) error{
		"assets": func(id loci.MemoryID, _ loci.AssetID) error { return second(w.Memory.Assets(ctx, p, id)) },
		"asset":  func(_ loci.MemoryID, id loci.AssetID) error { return second(w.Memory.Asset(ctx, p, id)) },
		"open":   func(_ loci.MemoryID, id loci.AssetID) error { return second(w.bytesOf(p, id)) },
	} {
		got, none := call(id, asset), call(loci.NewMemoryID(), loci.NewAssetID())
		if sees != (got == nil) || !sees && (got.Error() != none.Error() || loci.CodeOf(got) != loci.CodeOf(none)) {
			rt.Fatalf("%s by %q, which sees it: %t: got %v, for what is not there %v", name, p.Vendor, sees, got, none)
		}
	}
}

func TestTheSameFileIsAttachedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.add(w.owner, memory.Draft{Title: "m", Content: "c"})
	first := w.attach(w.owner, m.ID, "a.txt", "same")
	again, added, err := w.Memory.AddAsset(t.Context(), w.owner, m.ID, file("a.txt", "same"))
	if added || err != nil || again != first {
		t.Errorf("again: added %t, %v (-first +again):\n%s", added, err, cmp.Diff(first, again))
	}
	other := w.attach(w.owner, m.ID, "b.txt", "same")
	if other.ID == first.ID || other.SHA256 != first.SHA256 {
		t.Errorf("under another name: %+v", other)
	}
	changed := w.attach(w.owner, m.ID, "a.txt", "changed")
	if changed.ID == first.ID {
		t.Error("other bytes under the same name are taken for the same")
	}
	list, err := w.Memory.Assets(t.Context(), w.owner, m.ID)
	if diff := cmp.Diff([]loci.Asset{first, other, changed}, list); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	m = w.add(w.claude, memory.Draft{Title: "n", Content: "d"})
	claudes, mine := w.attach(w.claude, m.ID, "a.txt", "same"), w.attach(w.owner, m.ID, "a.txt", "same")
	if claudes.ID == mine.ID || claudes.Origin == mine.Origin {
		t.Errorf("of two writers: %+v, %+v", claudes, mine)
	}
}

func TestAMemoryHasAnEndOfFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.add(w.owner, memory.Draft{Title: "m", Content: "c"})
	for n := range loci.MaxAssets {
		w.attach(w.owner, m.ID, strings.Repeat("x", n+1), "same")
	}
	_, _, err := w.Memory.AddAsset(t.Context(), w.owner, m.ID, file("one more", "same"))
	wantCode(t, err, loci.Conflict)
	w.attach(w.owner, m.ID, "x", "same") // is there
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (f unread) Read([]byte) (int, error) {
	f.t.Error("the body was read")
	return 0, io.EOF
}

func TestOrgsLimitWhatIsAttached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.add(w.owner, memory.Draft{Title: "m", Content: "c"})
	set := func(s org.AssetSettings) {
		t.Helper()
		if _, err := w.Org.Set(ctx, w.local, org.Settings{Assets: s}); err != nil {
			t.Fatal(err)
		}
	}
	set(org.AssetSettings{MaxBytes: new(int64(10))})
	w.attach(w.owner, m.ID, "fits", "0123456789")
	_, _, err := w.Memory.AddAsset(ctx, w.owner, m.ID, memory.Upload{Name: "announced", Size: 11, Body: unread{t}})
	wantCode(t, err, loci.TooLarge)
	_, _, err = w.Memory.AddAsset(ctx, w.owner, m.ID,
		memory.Upload{Name: "not announced", Size: -1, Body: strings.NewReader("01234567890")})
	wantCode(t, err, loci.TooLarge)
	if err == nil || !strings.Contains(err.Error(), "at most 10 bytes") {
		t.Errorf("got %v", err)
	}
	set(org.AssetSettings{MaxBytes: new(int64(0)), MediaTypes: &[]string{"IMAGE/*", "application/pdf"}})
	_, _, err = w.Memory.AddAsset(ctx, w.owner, m.ID, file("text", "hello"))
	if loci.FieldOf(err) != "media_type" || !strings.Contains(err.Error(), "this org allows image/*, application/pdf") {
		t.Errorf("got %v", err)
	}
	w.attach(w.owner, m.ID, "picture", "GIF89a")
	o, err := w.Org.Get(ctx, w.owner)
	if diff := cmp.Diff(loci.AssetRules{MediaTypes: []string{"image/*", "application/pdf"}}, o.Assets); diff != "" ||
		err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	set(org.AssetSettings{MediaTypes: &[]string{}})
	w.attach(w.owner, m.ID, "text", "hello")
	for _, s := range []org.AssetSettings{{MaxBytes: new(int64(-1))}, {TotalBytes: new(int64(1<<40 + 1))},
		{MediaTypes: &[]string{"image"}}, {MediaTypes: &[]string{"*/*"}},
		{MediaTypes: &[]string{"image/*", "text/plain; charset=utf-8"}}, {MediaTypes: new(make([]string, 51))}} {
		_, err := w.Org.Set(ctx, w.local, org.Settings{Assets: s})
		if loci.CodeOf(err) != loci.Invalid || !strings.HasPrefix(loci.FieldOf(err), "assets.") {
			t.Errorf("%+v: got %v", s, err)
		}
	}
}

// The total is the org's. What others have of it, or what a vendor does not see, is in no text.
func TestTheTotalOfAnOrg(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.add(w.claude, memory.Draft{Title: "m", Content: "c"})
	hidden := w.add(w.owner, memory.Draft{Title: "hidden", Content: "c", AllowedVendors: []loci.Vendor{"cursor"}})
	w.attach(w.owner, hidden.ID, "h", strings.Repeat("h", 70))
	if _, err := w.Org.Set(ctx, w.local,
		org.Settings{Assets: org.AssetSettings{TotalBytes: new(int64(100))}}); err != nil {
		t.Fatal(err)
	}
	w.attach(w.claude, m.ID, "fits", strings.Repeat("x", 30))
	for name, u := range map[string]memory.Upload{"announced": {Name: "a", Size: 1, Body: unread{t}},
		"not announced": {Name: "b", Size: -1, Body: strings.NewReader("x")}} {
		_, _, err := w.Memory.AddAsset(ctx, w.claude, m.ID, u)
		wantCode(t, err, loci.Conflict)
		if text := err.Error(); !strings.Contains(text, "100 bytes together") || strings.Contains(text, "70") ||
			strings.Contains(text, "yours") {
			t.Errorf("%s: got %q", name, text)
		}
	}
	_, _, err := w.Memory.AddAsset(ctx, w.owner, m.ID, file("c", "x"))
	if loci.CodeOf(err) != loci.Conflict || !strings.Contains(err.Error(), "yours have 100") {
		t.Errorf("to the person: %v", err)
	}
	made, err := w.Project.Create(ctx, w.owner, project.Draft{Name: "website"})
	if err != nil {
		t.Fatal(err)
	}
	limited, inWorkspace := w.owner, w.owner
	limited.OnlyProjects, limited.ProjectIDs = true, []loci.ProjectID{made.ID}
	inWorkspace.WorkspaceID = loci.NewWorkspaceID()
	for what, p := range map[*memory.Draft]loci.Principal{
		{Title: "of a limited key", Content: "c", Scope: loci.ScopeProject, ProjectID: made.ID}: limited,
		{Title: "of a workspace", Content: "c"}:                                                 inWorkspace,
	} {
		_, _, err := w.Memory.AddAsset(ctx, p, w.add(p, *what).ID, file("c", "x"))
		if loci.CodeOf(err) != loci.Conflict || strings.Contains(err.Error(), "yours") {
			t.Errorf("%s: %v", what.Title, err)
		}
	}
	if err := w.Memory.Erase(ctx, w.owner, hidden.ID, 0); err != nil {
		t.Fatal(err)
	}
	w.attach(w.claude, m.ID, "now", strings.Repeat("y", 70))
}

// Of many uploads at once, as many are attached as the org has room for.
func TestTheTotalHoldsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.add(w.owner, memory.Draft{Title: "m", Content: "c"})
	if _, err := w.Org.Set(ctx, w.local, org.Settings{Assets: org.AssetSettings{TotalBytes: new(int64(35))}}); err != nil {
		t.Fatal(err)
	}
	received := make([]*memory.Received, 10)
	for n := range received { // all before any is attached: each fits by itself
		r, err := w.Memory.Receive(ctx, w.owner, m.ID, file(string(rune('a'+n)), strings.Repeat(string(rune('a'+n)), 10)))
		if err != nil {
			t.Fatal(err)
		}
		received[n] = r
	}
	codes := make([]loci.Code, len(received))
	var all sync.WaitGroup
	for n, r := range received {
		all.Go(func() { codes[n] = loci.CodeOf(third(w.Memory.Attach(ctx, w.owner, r))) })
	}
	all.Wait()
	count := map[loci.Code]int{}
	for _, c := range codes {
		count[c]++
	}
	if count[""] != 3 || count[loci.Conflict] != 7 {
		t.Errorf("got %v, want 3 attached and 7 refused", count)
	}
}

// brokenBody ends with an error.
type brokenBody struct {
	io.Reader
	err error
}

func (b *brokenBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = b.err
	}
	return n, err
}

func TestABodyThatBreaksOffIsNotAttached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.add(w.owner, memory.Draft{Title: "m", Content: "c"})
	errCut := loci.Errorf(loci.Invalid, "cut")
	for _, size := range []int{0, 10, 5000, 1 << 20} {
		_, _, err := w.Memory.AddAsset(t.Context(), w.owner, m.ID,
			memory.Upload{Name: "x", Size: -1, Body: &brokenBody{bytes.NewReader(make([]byte, size)), errCut}})
		if !errors.Is(err, errCut) {
			t.Errorf("after %d bytes: got %v", size, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := w.Memory.AddAsset(ctx, w.owner, m.ID, file("x", "y")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	if list, err := w.Memory.Assets(t.Context(), w.owner, m.ID); len(list) != 0 || err != nil {
		t.Errorf("got %v, %v", list, err)
	}
}

func TestNothingIsAddedToAnArchivedProject(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	p := c.mara
	ids, err := c.st.ProjectMembers().Of(ctx, p.OrgID, p.UserID, p.WorkspaceID)
	c.must(err)
	p.ProjectIDs = ids
	m := c.add(p, memory.Draft{Title: "m", Content: "c", Scope: loci.ScopeProject, ProjectID: c.project})
	_, _, err = c.Memory.AddAsset(ctx, p, m.ID, file("a", "x"))
	c.must(err)
	_, err = c.Project.Archive(ctx, p, c.project)
	c.must(err)
	_, _, err = c.Memory.AddAsset(ctx, p, m.ID, file("b", "x"))
	wantCode(t, err, loci.Conflict)
	_, _, err = c.Memory.AddSources(ctx, p, m.ID, []loci.Source{{Kind: loci.SourceText, Text: "x"}})
	wantCode(t, err, loci.Conflict)
}
