package rest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// told is what a reader learns of one change.
type told struct {
	Change  loci.Change
	Version int
}

// history is what a writer did to one memory: what the rule looks at before and after each change.
type history struct {
	mu    sync.Mutex
	steps map[string][]step
}

type step struct {
	change  loci.Change
	version int
	before  []loci.Access
	after   []loci.Access
}

func (h *history) add(id string, s step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps[id] = append(h.steps[id], s)
}

// seenBy is the predicate in Go, over what was done.
func (h *history) seenBy(v loci.Viewer) map[string][]told {
	out := map[string][]told{}
	for id, steps := range h.steps {
		for _, s := range steps {
			switch c := v.Notices(s.change, s.before, s.after); c {
			case "":
			case loci.Hidden:
				out[id] = append(out[id], told{c, 0})
			default:
				out[id] = append(out[id], told{c, s.version})
			}
		}
	}
	return out
}

// write does random things to memories of its own until it has done n.
func (h *history) write(t *testing.T, s *server, seed uint64, n int) {
	r := rand.New(rand.NewPCG(seed, 1))
	ctx, who := t.Context(), s.owner
	who.Origin = []string{"claude", "cursor", "api"}[r.IntN(3)]
	var mine []*loci.Memory
	vendors := func() []loci.Vendor {
		return [][]loci.Vendor{{"*"}, {"claude"}, {"cursor", "gemini"}, {"other"}}[r.IntN(4)]
	}
	for range n {
		if len(mine) == 0 || r.IntN(4) == 0 {
			saved, err := s.app.Memory.Create(ctx, who,
				memory.Draft{Title: "t", Content: "c", AllowedVendors: vendors(), Dedupe: memory.DedupeCreate})
			if err != nil {
				t.Error(err)
				return
			}
			mine = append(mine, &saved.Memory)
			h.add(saved.ID.String(), step{loci.Created, 1, nil, []loci.Access{saved.Access}})
			continue
		}
		i := r.IntN(len(mine))
		old, now := mine[i], (*loci.Memory)(nil)
		var err error
		switch change := r.IntN(5); {
		case !old.DeletedAt.IsZero():
			now, err = s.app.Memory.Restore(ctx, who, old.ID, 0)
		case change == 0:
			var gone *loci.TrashedMemory
			if gone, err = s.app.Memory.Trash(ctx, who, old.ID, 0); err == nil {
				now = &gone.Memory
			}
		case change == 1:
			err = s.app.Memory.Erase(ctx, who, old.ID, 0)
		case change == 2:
			list := vendors()
			now, err = s.app.Memory.Patch(ctx, who, old.ID, 0, memory.Patch{AllowedVendors: loci.Set(list)})
		default:
			text := fmt.Sprint(r.Uint64())
			now, err = s.app.Memory.Patch(ctx, who, old.ID, 0, memory.Patch{Content: loci.Set(text)})
		}
		switch {
		case err != nil:
			t.Error(err)
			return
		case now == nil:
			h.add(old.ID.String(), step{loci.Erased, old.Version, []loci.Access{old.Access}, nil})
			mine = append(mine[:i], mine[i+1:]...)
		case now.Version > old.Version:
			h.add(now.ID.String(), step{now.Change, now.Version, []loci.Access{old.Access}, []loci.Access{now.Access}})
			mine[i] = now
		}
	}
}

// reader follows the stream as one credential, and loses its connection all the time.
type reader struct {
	key string
	at  string
	got map[string][]told
}

// read takes a random part of what there is, as if the connection broke after
// it: also within an event.
func (r *reader) read(t *testing.T, s *server, random *rand.Rand, whole bool) {
	w := s.do("GET", "/changes?once=true", r.key, "", "Last-Event-ID: "+r.at)
	body := w.Body.String()
	if w.Code != 200 {
		t.Fatalf("got %d %s", w.Code, body)
	}
	if !whole {
		body = body[:random.IntN(len(body)+1)]
	}
	for {
		block, rest, complete := strings.Cut(body, "\n\n")
		if !complete {
			return
		}
		body = rest
		var kind string
		for line := range strings.SplitSeq(block, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			switch name {
			case "event":
				kind = value
			case "id":
				r.at = value
			case "data":
				r.hear(t, kind, value)
			}
		}
	}
}

func (r *reader) hear(t *testing.T, kind, data string) {
	if kind == "reset" {
		t.Fatal("a reset, though nothing about the reader has changed")
	}
	if kind != "change" {
		return
	}
	var e loci.FeedEvent
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		t.Fatal(err)
	}
	r.got[e.ID] = append(r.got[e.ID], told{e.Change, e.Version})
}

// TestNoChangeIsLostOrToldTwice lets writers do random things at once, while
// readers follow over connections that break at random places, and compares
// what each was told with what the rule says, change by change.
func TestNoChangeIsLostOrToldTwice(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	done := &history{steps: map[string][]step{}}
	var following []*reader
	for _, key := range sortedKeys(readers) {
		w := s.do("GET", "/changes", key, "")
		at := w.Body.String()[strings.Index(w.Body.String(), "id: ")+4:]
		at, _, _ = strings.Cut(at, "\n")
		following = append(following, &reader{key: key, at: at, got: map[string][]told{}})
	}
	var writers, listeners sync.WaitGroup
	for i := range 3 {
		writers.Go(func() { done.write(t, s, uint64(i), 150) })
	}
	finished := make(chan struct{})
	for i, r := range following {
		listeners.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 2))
			for over := false; !over; {
				select {
				case <-finished:
					over = true
				default:
				}
				r.read(t, s, random, over)
			}
		})
	}
	writers.Wait()
	close(finished)
	listeners.Wait()
	events := 0
	for _, r := range following {
		want := done.seenBy(loci.Viewer{OrgID: loci.DefaultOrg, UserID: s.owner.UserID, Vendor: readers[r.key]})
		if diff := cmp.Diff(want, r.got); diff != "" {
			t.Errorf("%s was told something else than the rule says (-want +got):\n%s", r.key, diff)
		}
		for _, list := range want {
			events += len(list)
		}
	}
	if events < 500 {
		t.Errorf("only %d events", events)
	}
}
