package memory

import (
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

// gist is what is kept of a memory, so that a save need not read it again to find that it is not similar.
type gist struct {
	text  *recall.Trace
	title uint64
	key   string
}

func gistOf(m *loci.Memory, text, title *recall.Text) *gist {
	return &gist{text.Trace(), title.Hash(), m.Key}
}

// mayBeLike reports whether two memories can be similar. If it is false, compare finds that they are not.
func (g *gist) mayBeLike(o *gist) bool {
	return min(g.text.Words, o.text.Words) < similarText || g.title == o.title || g.key != "" && g.key == o.key ||
		g.text.MayBeLike(o.text)
}

// gists are the gists of memories that were saved or read lately, by id and last change. It is safe for
// concurrent use. Whether a viewer sees a memory is not its concern: the ids come from the index.
type gists struct {
	mu         sync.Mutex
	young, old map[loci.MemoryID]datedGist // at most maxGists each; those in use become young again
}

type datedGist struct {
	*gist
	updated int64 // microseconds since 1970
}

// maxGists bounds the memory that gists take: most have less than 300 bytes.
const maxGists = 8 << 10

// of returns the gist of a memory as it was last changed at that time, or nil if it is not known.
func (k *gists) of(id loci.MemoryID, updated int64) *gist {
	k.mu.Lock()
	defer k.mu.Unlock()
	g, known := k.young[id]
	if !known {
		if g, known = k.old[id]; known {
			k.put(id, g)
		}
	}
	if !known || g.updated != updated {
		return nil
	}
	return g.gist
}

func (k *gists) add(m *loci.Memory, g *gist) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.put(m.ID, datedGist{g, m.UpdatedAt.UnixMicro()})
}

func (k *gists) put(id loci.MemoryID, g datedGist) {
	if k.young == nil || len(k.young) >= maxGists {
		k.young, k.old = map[loci.MemoryID]datedGist{}, k.young
	}
	k.young[id] = g
}

// gist returns the gist of m, which most often is as the draft says.
func (s *saving) gist(m *loci.Memory) *gist {
	if !s.drafted(m) {
		return gistOf(m, s.read(m), recall.Read(m.Title))
	}
	if s.own == nil {
		s.own = gistOf(m, s.read(m), recall.Read(m.Title))
	}
	return s.own
}

// drafted reports whether m says what the draft says.
func (s *saving) drafted(m *loci.Memory) bool {
	return m.Key == s.m.Key && m.Title == s.m.Title && m.Content == s.m.Content
}
