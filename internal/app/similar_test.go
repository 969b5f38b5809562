package app_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// save saves without a key and returns what the answer calls similar, as "title relation".
func (w *world) save(p loci.Principal, d memory.Draft) (*loci.Saved, []string) {
	w.t.Helper()
	m, err := w.Memory.Create(w.t.Context(), p, d)
	if err != nil {
		w.t.Fatal(err)
	}
	var list []string
	for _, s := range m.Similar {
		list = append(list, s.Title+" "+string(s.Relation))
	}
	return m, list
}

// A save tells of what says the same or the opposite, in any script, and does nothing about it.
func TestSaveTellsOfSimilar(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stored, saved string
		want          loci.Likeness
	}{
		"the same": {"We deploy on Tuesdays.", "we deploy on tuesdays", loci.Duplicate},
		"nearly": {"The nightly job copies the whole database of the shop to Frankfurt",
			"The nightly job copies the whole database of the shop to Amsterdam", loci.NearDuplicate},
		"a number": {"The staging server listens on port 8080", "The staging server listens on port 9090",
			loci.Contradiction},
		"a negation": {"Alice drinks coffee in the morning", "Alice does not drink coffee in the morning",
			loci.Contradiction},
		"Chinese":           {"我们每周在北京的办公室部署服务器", "我们每周不在北京的办公室部署服务器", loci.Contradiction},
		"Japanese":          {"会議は月曜日の午後に大阪で行います", "会議は金曜日の午後に大阪で行います", loci.Contradiction},
		"Thai":              {"ฉันชอบดื่มกาแฟร้อนตอนเช้า", "ฉันไม่ชอบดื่มกาแฟร้อนตอนเช้า", loci.Contradiction},
		"Arabic":            {"الخادم الرئيسي يعمل في الليل", "الخادم الرئيسي لا يعمل في الليل", loci.Contradiction},
		"Hindi":             {"सर्वर रात में चालू रहता है", "सर्वर रात में बंद रहता है", loci.Contradiction},
		"Russian, the same": {"Сервер работает ночью", "СЕРВЕР РАБОТАЕТ НОЧЬЮ!", loci.Duplicate},
		"Korean, the same":  {"서울에서 매주 배포합니다", "서울에서  매주 배포합니다.", loci.Duplicate},
		"long": {"The nightly job copies the database of the shop to the second region, checks that every table has as " +
			"many rows as the original and writes a report of 5 lines to the channel of the team",
			"The nightly job copies the database of the shop to the second region, checks that every table has as many rows " +
				"as the original and writes a report of 9 lines to the channel of the team", loci.Contradiction},
		"short":  {"Berlin", "berlin", loci.Duplicate},
		"unlike": {"We deploy on Tuesdays", "Tuesdays are for the choir, which nobody may miss", loci.SameSubject},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			first, none := w.save(w.claude, memory.Draft{Title: "Note", Content: tt.stored})
			if len(none) > 0 {
				t.Errorf("the first memory is like %q", none)
			}
			second, got := w.save(w.other, memory.Draft{Title: "Note", Content: tt.saved})
			want := []string{"Note " + string(tt.want)}
			if tt.want == "" {
				want = nil
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if second.ID == first.ID || second.Content != tt.saved || len(got) > 0 && second.Similar[0].ID != first.ID {
				t.Errorf("saved as %+v", second)
			}
			if still, err := w.Memory.Get(t.Context(), w.owner, first.ID); err != nil || still.Version != 1 {
				t.Errorf("the first was touched: %+v, %v", still, err)
			}
		})
	}
}

// Titles say what short texts are about, and contradict where long ones are the same.
func TestSimilarReadsTitles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save(w.owner, memory.Draft{Title: "Port of Grafana", Content: "8080"})
	if _, got := w.save(w.owner, memory.Draft{Title: "Age of the captain", Content: "8080"}); len(got) > 0 {
		t.Errorf("a number alone is like %q", got)
	}
	if _, got := w.save(w.owner, memory.Draft{Title: "Port of Grafana", Content: "8081"}); !cmp.Equal(got,
		[]string{"Port of Grafana contradiction"}) {
		t.Errorf("another number of the same thing: %q", got)
	}
	w.save(w.owner, memory.Draft{Title: "Report of March", Content: "Everything went well, nobody complained"})
	if _, got := w.save(w.owner, memory.Draft{Title: "Report of April", Content: "Everything went well, nobody " +
		"complained"}); !cmp.Equal(got, []string{"Report of March contradiction"}) {
		t.Errorf("got %q", got)
	}
}

// At most MaxSimilar are told of, the most similar first, and never the memory itself.
func TestSimilarIsShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const text = "The backup of the archive runs at night and takes until the morning"
	for i := range loci.MaxSimilar + 2 {
		w.save(w.owner, memory.Draft{Title: fmt.Sprint("other ", i),
			Content: strings.Replace(text, "archive", fmt.Sprint("museum", string(rune('a'+i))), 1)})
	}
	w.save(w.owner, memory.Draft{Title: "same", Content: text})
	m, got := w.save(w.owner, memory.Draft{Title: "saved", Content: text, Key: "backup"})
	if len(got) != loci.MaxSimilar || got[0] != "same duplicate" {
		t.Errorf("got %q", got)
	}
	again, got := w.save(w.owner, memory.Draft{Title: "saved", Content: text + ", mostly", Key: "backup"})
	if again.ID != m.ID || len(got) != loci.MaxSimilar || strings.Contains(strings.Join(got, " "), "saved") {
		t.Errorf("after an update in place: %q", got)
	}
}

// Whoever may not read learns of nothing.
func TestSimilarNeedsTheRightToRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := memory.Draft{Title: "Note", Content: "We deploy on Tuesdays", Dedupe: memory.DedupeCreate}
	w.save(w.owner, d)
	writer := w.owner
	writer.Rights = []loci.Right{loci.RightWrite}
	if _, got := w.save(writer, d); len(got) > 0 {
		t.Errorf("who may only write learns of %q", got)
	}
	if _, got := w.save(w.owner, d); len(got) != 2 {
		t.Errorf("who may read learns of %q", got)
	}
}

// blind is a store that cannot be searched for a while.
type blind struct {
	store.Store
	on bool
}

func (b *blind) View(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	return b.Store.View(ctx, org, func(tx store.Tx) error {
		if b.on {
			tx = blindTx{tx}
		}
		return fn(tx)
	})
}

type blindTx struct{ store.Tx }

func (tx blindTx) Rows() store.Rows { return blindRows{tx.Tx.Rows()} }

type blindRows struct{ store.Rows }

var errBlind = errors.New("the disk is gone")

func (blindRows) Changed(context.Context, store.Position) (store.RowChanges, error) {
	return store.RowChanges{}, errBlind
}

func (tx blindTx) Memories() store.Memories { return blindMemories{tx.Tx.Memories()} }

// blindMemories are not read either, because the index may know of the other memory without Changed.
type blindMemories struct{ store.Memories }

func (blindMemories) GetMany(context.Context, loci.Viewer, []loci.MemoryID, loci.Lifecycle) ([]*loci.Memory, error) {
	return nil, errBlind
}

// A save does not fail because nothing could be compared.
func TestSimilarNeverFailsASave(t *testing.T) {
	t.Parallel()
	var st *blind
	w := newWorld(t, func(o *app.Options) { st = &blind{Store: o.Store}; o.Store = st })
	d := memory.Draft{Title: "Note", Content: "We deploy on Tuesdays", Dedupe: memory.DedupeCreate}
	w.save(w.owner, d)
	st.on = true
	if m, got := w.save(w.owner, d); m.ID.IsZero() || len(got) > 0 || !m.SimilarSkipped {
		t.Errorf("saved %+v, similar %q", m, got)
	}
}

// A search of the trash does not need the index of what holds now.
func TestSearchOfTheTrashNeedsNoIndex(t *testing.T) {
	t.Parallel()
	var st *blind
	w := newWorld(t, func(o *app.Options) { st = &blind{Store: o.Store}; o.Store = st })
	m := w.add(w.owner, memory.Draft{Title: "Note", Content: "We deploy on Tuesdays"})
	if _, err := w.Memory.Trash(t.Context(), w.owner, m.ID, 0); err != nil {
		t.Fatal(err)
	}
	st.on = true
	r := memory.SearchRequest{Query: "Tuesdays"}
	if _, err := w.Memory.Search(t.Context(), w.owner, r); !errors.Is(err, errBlind) {
		t.Errorf("a search of the present: got %v, want %v", err, errBlind)
	}
	r.Lifecycle = loci.TrashOnly
	if page, err := w.Memory.Search(t.Context(), w.owner, r); err != nil || len(page.Items) != 1 {
		t.Errorf("got %+v, %v; want the memory in the trash", page, err)
	}
}

// begun is a store whose changes a later transaction has read already, so that the index cannot be built in this one.
type begun struct{ store.Store }

func (b begun) View(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	return b.Store.View(ctx, org, func(tx store.Tx) error { return fn(begunTx{tx}) })
}

type begunTx struct{ store.Tx }

func (tx begunTx) Rows() store.Rows { return begunRows{tx.Tx.Rows()} }

type begunRows struct{ store.Rows }

func (begunRows) Changed(_ context.Context, after store.Position) (store.RowChanges, error) {
	return store.RowChanges{Next: after, Ahead: true}, nil
}

// A save says that nothing was compared if the index is not built yet.
func TestSimilarNeedsAWholeIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Store = begun{o.Store} })
	d := memory.Draft{Title: "Note", Content: "We deploy on Tuesdays", Dedupe: memory.DedupeCreate}
	w.save(w.owner, d)
	if m, got := w.save(w.owner, d); m.ID.IsZero() || len(got) > 0 || !m.SimilarSkipped {
		t.Errorf("saved %+v, similar %q", m, got)
	}
}

// Nothing that the writer may not see has any influence on what is called similar: not on what is named, nor on its
// order, nor on what is left out because there is so much.
func TestSimilarIgnoresHidden(t *testing.T) {
	t.Parallel()
	var st store.Store
	w := newWorld(t, func(o *app.Options) { st = o.Store })
	stranger := loci.User{ID: loci.NewUserID(), OrgID: w.owner.OrgID, Email: "stranger@example.com", Role: loci.RoleUser,
		OrgRole: loci.Member, CreatedAt: w.now}
	if err := st.People().Add(t.Context(), stranger, nil); err != nil {
		t.Fatal(err)
	}
	texts := []string{"We deploy the shop on Tuesdays at 5", "We deploy the shop on Tuesdays at 6",
		"We never deploy the shop on Tuesdays at 5",
		"we deploy the shop on tuesdays, at 5!", "We deploy the blog on Tuesdays at 5", "私たちは火曜日に店を公開します"}
	hide := []func(*loci.Memory){
		func(m *loci.Memory) { m.UserID = stranger.ID },
		func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} },
		func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{} },
		func(m *loci.Memory) { m.DeletedAt = w.now },
		func(m *loci.Memory) { m.ExpiresAt = w.now.Add(-time.Hour) },
		func(m *loci.Memory) { m.SupersededBy = loci.NewMemoryID() },
		func(m *loci.Memory) { m.Scope, m.AgentID = loci.ScopeAgent, loci.AgentID{1} },
		func(m *loci.Memory) {
			m.UserID, m.Scope, m.ProjectID = stranger.ID, loci.ScopeProject, loci.ProjectID{2}
		},
		func(m *loci.Memory) { m.UserID, m.TeamID = stranger.ID, loci.TeamID{3} },
	}
	rapid.Check(t, func(rt *rapid.T) {
		ctx := t.Context()
		var all []loci.MemoryID
		insert := func(n int, change func(*loci.Memory)) {
			err := st.Update(ctx, w.owner.OrgID, func(tx store.Tx) error {
				for range n {
					m := &loci.Memory{ID: loci.NewMemoryID(), Title: "Note", Content: rapid.SampledFrom(texts).Draw(rt, "text")}
					m.OrgID, m.UserID, m.Origin = w.owner.OrgID, w.owner.UserID, "claude"
					m.SetDefaults()
					m.CreatedAt, m.UpdatedAt = w.now, w.now
					m.State = loci.State{Version: 1, Change: loci.Created, Editor: "claude"}
					change(m)
					all = append(all, m.ID)
					if err := tx.Memories().Insert(ctx, m); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				rt.Fatal(err)
			}
		}
		erase := func(ids ...loci.MemoryID) {
			err := st.Update(ctx, w.owner.OrgID, func(tx store.Tx) error {
				for _, id := range ids {
					if err := tx.Memories().Erase(ctx, id); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				rt.Fatal(err)
			}
		}
		probe := func(content string) []loci.Similar {
			m, err := w.Memory.Create(ctx, w.claude, memory.Draft{Title: "Note", Content: content, Dedupe: memory.DedupeCreate})
			if err != nil {
				rt.Fatal(err)
			}
			erase(m.ID)
			return m.Similar
		}
		insert(rapid.IntRange(0, 8).Draw(rt, "visible"), func(*loci.Memory) {})
		content := rapid.SampledFrom(texts).Draw(rt, "content")
		want := probe(content)
		insert(rapid.IntRange(1, 40).Draw(rt, "hidden"), rapid.SampledFrom(hide).Draw(rt, "why"))
		if diff := cmp.Diff(want, probe(content)); diff != "" {
			rt.Errorf("beside what is hidden (-without +with):\n%s", diff)
		}
		erase(all...)
	})
}
