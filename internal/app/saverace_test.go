package app_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// TestOneKeyIsOneMemory has many writers save under the same keys at the same time, through two stores that have
// one directory open as two processes would, and demands that each key is one memory, of which every save is
// a version of its own.
func TestOneKeyIsOneMemory(t *testing.T) {
	t.Parallel()
	apps, p := twoProcesses(t)
	rapid.Check(t, func(rt *rapid.T) {
		mark := loci.NewMemoryID().String()
		writers := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3), 2, 10).Draw(rt, "writers")
		var mu sync.Mutex
		saved := map[string][]*loci.Saved{}
		var wait sync.WaitGroup
		for i, keys := range writers {
			wait.Go(func() {
				for n, key := range keys {
					m, err := apps[i%2].Memory.Create(t.Context(), p,
						memory.Draft{Key: mark + key, Content: fmt.Sprintf("save %d of writer %d", n, i)})
					mu.Lock()
					if err != nil {
						t.Error(err)
					} else {
						saved[key] = append(saved[key], m)
					}
					mu.Unlock()
				}
			})
		}
		wait.Wait()
		for key, list := range saved {
			slices.SortFunc(list, func(a, b *loci.Saved) int { return a.Version - b.Version })
			for i, m := range list {
				if m.ID != list[0].ID || m.Version != i+1 || m.ReplacedVersion != i {
					rt.Fatalf("key %s, save %d of %d: version %d of %s, replaced %d", key, i, len(list), m.Version, m.ID,
						m.ReplacedVersion)
				}
			}
			versions, now, err := apps[0].Memory.Versions(t.Context(), p, list[0].ID, 0, 0)
			if err != nil || len(versions) != len(list)-1 || now.Content != list[len(list)-1].Content {
				rt.Fatalf("key %s: %d old versions of %d saves, at last %q: %v", key, len(versions), len(list), now.Content, err)
			}
		}
	})
}

// twoProcesses returns two apps whose stores have one directory open, as two processes do, and its owner.
func twoProcesses(t *testing.T) (apps [2]*app.App, p loci.Principal) {
	t.Helper()
	dir := t.TempDir()
	for i := range apps {
		st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := st.Close(); err != nil {
				t.Error(err)
			}
		})
		apps[i] = app.New(app.Options{Store: st})
		org, _, err := apps[i].Identity.Setup(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p = loci.Principal{Kind: loci.KindUser, OrgID: org.ID, UserID: org.OwnerID, Origin: "api"}
	}
	return apps, p
}

// held is an engine whose changes wait.
type held struct {
	store.Store
	entered, release chan struct{}
}

func (h held) Update(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	h.entered <- struct{}{}
	<-h.release
	return h.Store.Update(ctx, org, fn)
}

// Every save of a flood is compared with what is stored.
func TestFloodsAreCompared(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	draft := memory.Draft{Title: "Deploys", Content: "We deploy the whole shop on Tuesdays at noon",
		Dedupe: memory.DedupeCreate}
	w.keep(w.owner, draft)
	h := held{w.st, make(chan struct{}), make(chan struct{})}
	a := app.New(app.Options{Store: h, Patience: time.Hour})
	const saves = 8
	similar := make([]int, saves)
	var wait sync.WaitGroup
	for i := range similar {
		wait.Go(func() {
			m, err := a.Memory.Create(t.Context(), w.owner, draft)
			if err != nil {
				t.Error(err)
				return
			}
			if similar[i] = len(m.Similar); m.SimilarSkipped {
				t.Errorf("save %d was not compared", i)
			}
		})
		<-h.entered
	}
	close(h.release) // so all are under way at once
	wait.Wait()
	// Each tells of the one stored before. Whether it tells of those under way depends on when it looked.
	if slices.Min(similar) < 1 || slices.Max(similar) > loci.MaxSimilar {
		t.Errorf("the saves tell of %v similar ones", similar)
	}
	draft.NotCompared = true
	if asked := w.keep(w.owner, draft); len(asked.Similar) != 0 || !asked.SimilarSkipped {
		t.Errorf("a save that wants no comparison says %+v", asked)
	}
}

// If the comparison takes too long, the memory is stored, and the answer says that Loci did not look everywhere.
func TestAComparisonThatTakesTooLongIsCut(t *testing.T) {
	w := newWorld(t, func(o *app.Options) { o.Patience = 1 })
	draft := memory.Draft{Title: "Deploys", Content: "We deploy the whole shop on Tuesdays at noon"}
	w.keep(w.owner, draft)
	if m := w.keep(w.owner, draft); m.ID.IsZero() || !m.SimilarSkipped {
		t.Errorf("saved %+v", m)
	}
	results, err := w.Memory.Bulk(t.Context(), w.owner, []memory.BulkItem{{Op: loci.BulkCreate, Draft: draft}}, true)
	if err != nil || !results[0].SimilarSkipped {
		t.Errorf("in bulk: %+v, %v", results, err)
	}
}
