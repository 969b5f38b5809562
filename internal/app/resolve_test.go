package app_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// stored stores a memory of the owner with an id, beside the use cases, which choose ids themselves.
func (w *world) stored(id, title string, change ...func(*loci.Memory)) *loci.Memory {
	w.t.Helper()
	m := w.keep(w.owner, titled(title)).Memory.Clone()
	var err error
	m.ID, err = loci.ParseMemoryID(id)
	w.must(err)
	for _, c := range change {
		c(m)
	}
	w.must(w.st.Update(w.t.Context(), w.owner.OrgID, func(tx store.Tx) error {
		return tx.Memories().Insert(w.t.Context(), m)
	}))
	return m
}

func TestResolve(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.keep(w.claude, titled("Tuesdays"))
	w.keep(w.claude, titled("Thursdays", supersedes(m.ID)))
	gone := w.stored("0badcafe-0000-4000-8000-000000000001", "gone", func(m *loci.Memory) { m.DeletedAt = w.now })
	w.stored("abcdabcd-0000-4000-8000-000000000001", "first")
	second := w.stored("abcdabcd-0000-4000-8000-000000000002", "second")
	w.stored("abcdabcd-0000-4000-8000-000000000003", "for cursor",
		func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} })
	id := m.ID.String()
	for _, tt := range []struct {
		name, text string
		by         loci.Principal
		want       loci.MemoryID
		code       loci.Code
	}{
		{"a whole id", id, w.claude, m.ID, ""},
		{"a whole id of nothing", loci.MemoryID{1}.String(), w.claude, loci.MemoryID{1}, ""},
		{"a short id of a superseded memory", m.ID.Short(), w.claude, m.ID, ""},
		{"capitals", strings.ToUpper(id[:12]), w.claude, m.ID, ""},
		{"7 letters of an agent", id[:7], w.claude, loci.MemoryID{}, loci.Invalid},
		{"4 letters of a person", id[:4], w.owner, m.ID, ""},
		{"3 letters of a person", id[:3], w.owner, loci.MemoryID{}, loci.Invalid},
		{"no letter", "zzzzzzzz", w.owner, loci.MemoryID{}, loci.Invalid},
		{"too long", id + "0", w.owner, loci.MemoryID{}, loci.Invalid},
		{"nothing", "01234567", w.claude, loci.MemoryID{}, loci.NotFound},
		{"the trash, for a person", gone.ID.Short(), w.owner, gone.ID, ""},
		{"the trash, for an agent", gone.ID.Short(), w.claude, loci.MemoryID{}, loci.NotFound},
		{"several", "abcdabcd", w.claude, loci.MemoryID{}, loci.Invalid},
		{"more of it", second.ID.String()[:36], w.claude, second.ID, ""},
		{"nobody", id, loci.Principal{}, loci.MemoryID{}, loci.Unauthenticated},
	} {
		got, err := w.Memory.Resolve(ctx, tt.by, tt.text)
		if got != tt.want || loci.CodeOf(err) != tt.code {
			t.Errorf("%s: got %s, %v; want %s, %q", tt.name, got, err, tt.want, tt.code)
		}
	}
	_, err := w.Memory.Resolve(ctx, w.claude, "abcdabcd")
	if text := loci.SafeText(err); !strings.Contains(text, second.ID.String()+" (second)") ||
		!strings.Contains(text, "(first)") || strings.Contains(text, "cursor") {
		t.Errorf("several: %q", text)
	}
	_, hidden := w.Memory.Resolve(ctx, w.claude, gone.ID.Short())
	_, missing := w.Memory.Get(ctx, w.claude, loci.NewMemoryID())
	if loci.SafeText(hidden) != loci.SafeText(missing) {
		t.Errorf("hidden: %v, missing: %v", hidden, missing)
	}
	other := w.keep(w.owner, titled("secret", func(d *memory.Draft) { d.AllowedVendors = []loci.Vendor{"cursor"} }))
	if _, err := w.Memory.Resolve(ctx, w.claude, other.ID.Short()); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("claude resolves what only cursor may read: %v", err)
	}
}
