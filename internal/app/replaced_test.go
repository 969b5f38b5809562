package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// TestReplacedMemoriesAreNamed changes memories that others replaced. Who may read such a one learns
// what happened to it. For everyone else it never existed.
func TestReplacedMemoriesAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	only := func(d *memory.Draft) { d.AllowedVendors = []loci.Vendor{"claude"} }
	open, hidden := w.keep(w.claude, titled("Tuesdays")), w.keep(w.claude, titled("Secret", only))
	by := w.keep(w.claude, titled("Thursdays", supersedes(open.ID, hidden.ID), only))
	row := w.keep(w.owner, titled("Red"))
	w.keep(w.owner, titled("Blue", supersedes(row.ID), only))
	tries := map[string]func(p loci.Principal, id loci.MemoryID) error{
		"patch": func(p loci.Principal, id loci.MemoryID) error {
			_, err := w.Memory.Patch(t.Context(), p, id, 0, memory.Patch{Title: loci.Set("x")})
			return err
		},
		"supersede": func(p loci.Principal, id loci.MemoryID) error {
			_, err := w.Memory.Create(t.Context(), p, titled("x", supersedes(id)))
			return err
		},
		"add a source": func(p loci.Principal, id loci.MemoryID) error {
			_, _, err := w.Memory.AddSources(t.Context(), p, id, []loci.Source{{Kind: "message", Ref: "m"}})
			return err
		},
		"restore": func(p loci.Principal, id loci.MemoryID) error {
			_, err := w.Memory.Restore(t.Context(), p, id, 0)
			return err
		},
	}
	for name, try := range tries {
		never := try(w.other, loci.NewMemoryID())
		for what, id := range map[string]loci.MemoryID{"hidden": hidden.ID, "narrowed": open.ID, "of a hidden one": row.ID} {
			if err := try(w.other, id); err == nil || err.Error() != never.Error() {
				t.Errorf("%s: %s answers cursor %v, absent %v", name, what, err, never)
			}
		}
		err := try(w.owner, open.ID)
		if err == nil ||
			!strings.Contains(err.Error(), "was replaced by "+by.ID.String()+" (Thursdays); use that one, or ") ||
			!strings.HasSuffix(err.Error(), "revert it to version 1") {
			t.Errorf("%s: the owner gets %v", name, err)
		}
		if err := try(w.claude, open.ID); name != "restore" && (err == nil ||
			!strings.HasSuffix(err.Error(), " was replaced by "+by.ID.String()+" (Thursdays); use that one")) {
			t.Errorf("%s: claude gets %v", name, err)
		}
	}
}

// Only its owner learns that a successor has expired, and how to return to the memory that it replaced.
func TestReplacedInATeam(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	old := c.add(c.mara, memory.Draft{Title: "Red", Content: "r", Share: true})
	by := c.add(c.mara, memory.Draft{Title: "Blue", Content: "b", Share: true, Supersedes: []loci.MemoryID{old.ID},
		ExpiresAt: c.now.Add(time.Hour)})
	check := func(p loci.Principal, want string, finds loci.Code) {
		t.Helper()
		err := second(c.Memory.Patch(ctx, p, old.ID, 0, memory.Patch{Title: loci.Set("x")}))
		want = "memory " + old.ID.String() + " was replaced" + want
		if loci.CodeOf(err) != loci.Conflict || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := c.Memory.Resolve(ctx, p, by.ID.String()[:12]); loci.CodeOf(err) != finds {
			t.Errorf("its id: got %v, want code %q", err, finds)
		}
	}
	named, back := " by "+by.ID.String()+" (Blue)", ", or to make this one current again, revert it to version 1"
	check(c.tom, named+"; use that one", "")
	check(c.mara, named+"; use that one"+back, "")
	c.st.mu.Lock()
	c.now = c.now.Add(2 * time.Hour)
	c.st.mu.Unlock()
	check(c.tom, "; save a new memory instead", loci.NotFound)
	check(c.mara, named+", which has expired; restore that one"+back, "")
}

// TestReplacedByTheHidden replaces a memory by one that fewer may see: the others learn that it was
// replaced, as include_superseded tells them, but not by what.
func TestReplacedByTheHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	old := w.keep(w.other, titled("Red"))
	by := w.keep(w.other, titled("Blue", supersedes(old.ID)))
	if _, err := w.Memory.Patch(ctx, w.owner, by.ID, 0,
		memory.Patch{AllowedVendors: loci.Set([]loci.Vendor{"claude"})}); err != nil {
		t.Fatal(err)
	}
	want := "memory " + old.ID.String() + " was replaced; save a new memory instead"
	_, err := w.Memory.Patch(ctx, w.other, old.ID, 0, memory.Patch{Title: loci.Set("x")})
	if loci.CodeOf(err) != loci.Conflict || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := w.Memory.Trash(ctx, w.owner, by.ID, 0); err != nil {
		t.Fatal(err)
	}
	_, err = w.Memory.Patch(ctx, w.claude, old.ID, 0, memory.Patch{Title: loci.Set("x")})
	if loci.CodeOf(err) != loci.Conflict || err.Error() != want {
		t.Errorf("of a successor in the trash: got %v, want %s", err, want)
	}
}

// TestTrashReplaced trashes memories that others replaced, alone, in a list and in a bulk call.
func TestTrashReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	var ids []loci.MemoryID
	for _, title := range []string{"a", "b", "c", "d"} {
		ids = append(ids, w.keep(w.owner, titled(title)).ID)
	}
	w.keep(w.owner, titled("new", supersedes(ids...)))
	_, err := w.Memory.Trash(ctx, w.claude, ids[0], 0)
	wantCode(t, err, loci.Forbidden)
	if _, err := w.Memory.Trash(ctx, w.owner, ids[0], 0); err != nil {
		t.Errorf("alone: %v", err)
	}
	if _, err := w.Memory.TrashMany(ctx, w.owner, ids[1:3]); err != nil {
		t.Errorf("in a list: %v", err)
	}
	if _, err := w.Memory.Bulk(ctx, w.owner, []memory.BulkItem{{Op: loci.BulkTrash, ID: ids[3]}}, true); err != nil {
		t.Errorf("in a bulk call: %v", err)
	}
	for _, id := range ids {
		_, err := w.Memory.Patch(ctx, w.owner, id, 0, memory.Patch{Title: loci.Set("x")})
		wantCode(t, err, loci.NotFound)
		m, err := w.Memory.Restore(ctx, w.owner, id, 0)
		if err != nil || m.SupersededBy.IsZero() {
			t.Errorf("restored: %+v, %v", m, err)
		}
	}
}

// TestASupersededMemoryShowsWhatIsAttached requires the sources and files of a superseded memory for those who may read
// it with include_superseded, and for no others.
func TestASupersededMemoryShowsWhatIsAttached(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	old := d.add(d.claude, memory.Draft{Title: "old", Content: "two", AllowedVendors: []loci.Vendor{"claude", "chatgpt"}})
	_, _, err := d.Memory.AddSources(ctx, d.claude, old.ID, []loci.Source{{Kind: loci.SourceText, Text: "why two",
		AllowedVendors: []loci.Vendor{"claude"}}})
	d.must(err)
	file, _, err := d.Memory.AddAsset(ctx, d.claude, old.ID, memory.Upload{Name: "why.txt", Body: strings.NewReader("x")})
	d.must(err)
	by := d.add(d.claude, memory.Draft{Title: "new", Content: "three", Supersedes: []loci.MemoryID{old.ID}})
	see := func(p loci.Principal) string {
		t.Helper()
		sources, err := d.Memory.Sources(ctx, p, old.ID)
		if err != nil {
			return string(loci.CodeOf(err))
		}
		files, err := d.Memory.Assets(ctx, p, old.ID)
		d.must(err)
		found, err := d.Memory.Asset(ctx, p, file.ID)
		d.must(err)
		_, body, err := d.Memory.OpenAsset(ctx, p, file.ID)
		d.must(err)
		d.must(body.Close())
		short, err := d.Memory.ResolveAsset(ctx, p, file.ID.Short())
		d.must(err)
		attached, err := d.Memory.Attached(ctx, p, old.ID)
		d.must(err)
		if len(files) != 1 || found.ID != file.ID || short != file.ID {
			t.Errorf("files %+v, found %s, short %s", files, found.ID, short)
		}
		return fmt.Sprintf("%d sources, attached %s", len(sources), attached)
	}
	chatgpt := d.claude
	chatgpt.Vendor, chatgpt.Origin = "chatgpt", "chatgpt"
	for name, tt := range map[string]struct {
		who  loci.Principal
		want string
	}{
		"its person":                   {d.mara, "1 sources, attached 1 file, 1 source"},
		"its vendor":                   {d.claude, "1 sources, attached 1 file, 1 source"},
		"a vendor without the source":  {chatgpt, "0 sources, attached 1 file"},
		"a vendor without the memory":  {d.cursor, "not_found"},
		"another person":               {d.tom, "not_found"},
		"their vendor, in another org": {loci.Principal{}, "unauthenticated"},
	} {
		if got := see(tt.who); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	// What is gone is gone for assistants.
	d.must(second(d.Memory.Trash(ctx, d.mara, old.ID, 0)))
	if got := see(d.claude); got != "not_found" {
		t.Errorf("in the trash: %s", got)
	}
	_, err = d.Memory.Asset(ctx, d.claude, file.ID)
	_, none := d.Memory.Asset(ctx, d.claude, loci.NewAssetID())
	if loci.CodeOf(err) != loci.NotFound || err.Error() != none.Error() {
		t.Errorf("an attachment in the trash: %v, none: %v", err, none)
	}
	d.must(second(d.Memory.Trash(ctx, d.mara, by.ID, 0)))
}
