package indexing

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/memo"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// Selection makes an index in memory of the memories that a list selects: those of another time, of the trash, or
// expired ones. It is not safe for concurrent use.
type Selection struct {
	builder *index.Builder
	streams map[stream][]index.Place
	until   time.Time // when the next memory expires; zero: none does
}

// NewSelection returns an empty Selection.
func NewSelection() *Selection {
	return &Selection{builder: index.NewBuilder(), streams: map[stream][]index.Place{}}
}

// Len returns the number of memories.
func (s *Selection) Len() int { return s.builder.Len() }

// Add adds a memory as the list has it. Its id must not have been added before.
func (s *Selection) Add(m *loci.Memory) {
	row := recall.SelectedRow(m)
	if row.Of != [16]byte{} {
		st := stream{row.Of, row.Class}
		s.streams[st] = append(s.streams[st], index.PlaceOf(&row))
	}
	s.builder.Add(row)
	if at := m.ExpiresAt; !at.IsZero() && (s.until.IsZero() || at.Before(s.until)) {
		s.until = at
	}
}

// Snapshot returns the index. Its sessions are cut as those of the index of an org are, so both rank alike. Call it
// once. It is Whole if all memories of the list were added.
func (s *Selection) Snapshot(whole bool) (*Snapshot, error) {
	if s.Len() == 0 {
		return &Snapshot{Whole: whole}, nil
	}
	sessions := map[[16]byte]string{}
	for _, places := range s.streams {
		slices.SortFunc(places, index.Place.Compare)
		for _, block := range cut(places, blockRows) {
			for _, at := range block {
				sessions[at.ID] = string(block[0].ID[:])
			}
		}
	}
	p, err := inMemory(s.builder.BuildSessions(sessions))
	if err != nil {
		return nil, err
	}
	return &Snapshot{parts: []*part{p}, views: []*index.View{p.view}, Whole: whole}, nil
}

// keptSelections is about how many bytes the indexes of selections have that are kept, and at most twice as many.
const keptSelections = 16 << 20

// Selections keep the indexes of selections as long as the lists have the same memories.
type Selections struct {
	kept *memo.Memo[[sha256.Size]byte, store.Stamp, keptSelection]
}

type keptSelection struct {
	*Snapshot
	until time.Time
}

// NewSelections returns Selections without an index.
func NewSelections() *Selections {
	return &Selections{memo.New[[sha256.Size]byte, store.Stamp, keptSelection](keptSelections)}
}

// Listing names a list of memories, as of a state of the org. The zero Listing is none that is kept.
type Listing struct {
	key   [sha256.Size]byte
	stamp store.Stamp
	ok    bool
}

// Of names the list of a viewer. Call it before the transaction that reads the list.
func (s *Selections) Of(ctx context.Context, st store.Store, v loci.Viewer, f *store.Filter) (l Listing) {
	if f.Lifecycle == loci.ExpiredOnly { // the list grows without a change
		return l
	}
	text, err := json.Marshal([]any{v, f})
	l.key = sha256.Sum256(text)
	l.stamp, l.ok = st.Stamp(ctx, v.OrgID)
	l.ok = l.ok && err == nil
	return l
}

// Get returns the index of a list, if it is kept.
func (s *Selections) Get(l Listing, now time.Time) (*Snapshot, bool) {
	if !l.ok {
		return nil, false
	}
	k, ok := s.kept.Get(l.key, l.stamp)
	return k.Snapshot, ok && (k.until.IsZero() || now.Before(k.until))
}

// Put keeps the index of a list.
func (s *Selections) Put(l Listing, of *Selection, index *Snapshot) {
	size := int64(0)
	for _, p := range index.parts {
		size += p.size
	}
	if l.ok {
		s.kept.Put(l.key, l.stamp, keptSelection{index, of.until}, int(size))
	}
}
