package app_test

import (
	"errors"
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
		{"7 letters of an agent", id[:7], w.claude, loci.MemoryID{}, loci.NotFound},
		{"4 letters of a person", id[:4], w.owner, m.ID, ""},
		{"3 letters of a person", id[:3], w.owner, loci.MemoryID{}, loci.NotFound},
		{"no letter", "zzzzzzzz", w.owner, loci.MemoryID{}, loci.NotFound},
		{"too long", id + "0", w.owner, loci.MemoryID{}, loci.NotFound},
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

// A file or a source of a memory that claude may not read begins like one that it sees. For claude, there is only one.
func TestResolveWhatIsAttached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	open := w.keep(w.owner, titled("open"))
	hidden := w.keep(w.owner, titled("hidden", func(d *memory.Draft) { d.AllowedVendors = []loci.Vendor{"cursor"} }))
	first := w.attach(w.owner, open.ID, "a.txt", "first")
	sources, _, err := w.Memory.AddSources(ctx, w.owner, open.ID, []loci.Source{{Kind: loci.SourceText, Text: "said"}})
	w.must(err)
	other, source := first, sources[0]
	other.ID[15], other.MemoryID, other.Name = other.ID[15]^1, hidden.ID, "secret.txt"
	source.ID[15], source.MemoryID, source.AllowedVendors = source.ID[15]^1, hidden.ID, []loci.Vendor{"cursor"}
	narrow := source // on a memory that claude reads
	narrow.ID[15], narrow.MemoryID = narrow.ID[15]^3, open.ID
	w.must(w.st.Update(ctx, w.owner.OrgID, func(tx store.Tx) error {
		return errors.Join(tx.Assets().Insert(ctx, other), tx.Sources().Insert(ctx, source), tx.Sources().Insert(ctx, narrow))
	}))
	stranger := loci.Principal{Kind: loci.KindUser, OrgID: w.owner.OrgID, UserID: loci.NewUserID(), Origin: "api"}
	resolvers := map[string]struct {
		id   string
		find func(p loci.Principal, text string) (string, error)
	}{
		"file": {first.ID.String(), func(p loci.Principal, text string) (string, error) {
			id, err := w.Memory.ResolveAsset(ctx, p, text)
			return id.String(), err
		}},
		"source": {sources[0].ID.String(), func(p loci.Principal, text string) (string, error) {
			id, err := w.Memory.ResolveSource(ctx, p, text)
			return id.String(), err
		}},
	}
	for noun, tt := range resolvers {
		for _, length := range []int{loci.ShortID, 20, 36} {
			if got, err := tt.find(w.claude, strings.ToUpper(tt.id[:length])); got != tt.id || err != nil {
				t.Errorf("%s by %d characters: got %s, %v; want %s", noun, length, got, err, tt.id)
			}
		}
		for what, try := range map[string]struct {
			by   loci.Principal
			text string
			want loci.Code
		}{
			"7 characters of an agent": {w.claude, tt.id[:7], loci.NotFound},
			"4 characters of a person": {w.owner, tt.id[:4], loci.Invalid}, // more than one
			"3 characters of a person": {w.owner, tt.id[:3], loci.NotFound},
			"nothing that begins so":   {w.claude, "00000000", loci.NotFound},
			"somebody without a key":   {loci.Principal{}, tt.id, loci.Unauthenticated},
			"another person's":         {stranger, tt.id[:8], loci.NotFound},
		} {
			if got, err := tt.find(try.by, try.text); loci.CodeOf(err) != try.want {
				t.Errorf("%s: %s: got %s, %v; want %q", noun, what, got, err, try.want)
			}
		}
	}
	if _, err := w.Memory.ResolveAsset(ctx, w.owner, first.ID.String()[:4]); !strings.Contains(loci.SafeText(err),
		other.ID.String()+" (secret.txt)") {
		t.Errorf("several files: %v", err)
	}
}
