package indexing

import (
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
)

// Selection makes an index in memory of the memories that a list selects: those of another time, of the trash, or
// expired ones. It is not safe for concurrent use.
type Selection struct {
	builder *index.Builder
	streams map[stream][]index.Place
}

// NewSelection returns an empty Selection.
func NewSelection() *Selection {
	return &Selection{index.NewBuilder(), map[stream][]index.Place{}}
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
