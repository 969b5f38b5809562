package node

import (
	"context"
	"strconv"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// MaxBudget is the largest budget of a pack, in characters.
const MaxBudget = 1_000_000

// PackedItem is an item of a memory node with what it shows.
type PackedItem struct {
	loci.NodeItem
	Number  string // place, such as 2.1: the first below the second
	Title   string // of a memory or an entity
	Content string // of a memory or a text; the observations of an entity, a line each
}

// Pack is a memory node to be read as a whole.
type Pack struct {
	Node  *loci.MemoryNode
	Items []PackedItem // in order, as many as fit into the budget
	Left  int          // number of items that did not fit
	Text  string       // the same as one text for a model
}

// Pack returns a live memory node and what its items show, in order, in at most budget characters
// of text (0: DefaultBudget). It always includes the first item, cut to the budget if necessary.
// NotFound if the node is not visible.
func (s *Service) Pack(ctx context.Context, p loci.Principal, id loci.NodeID, budget int) (*Pack, error) {
	if err := s.Begin(ctx, p, Read, gate.SetSize("budget", &budget, s.memories.Budget, MaxBudget)); err != nil {
		return nil, err
	}
	known := entities{}
	n, items, err := s.readItems(ctx, p, id, known)
	if err != nil {
		return nil, err
	}
	list, _ := known.shown(items)
	memories, err := s.memoriesOf(ctx, p, list)
	if err != nil {
		return nil, err
	}
	gate.Cover(n, sensitive.Masked)
	out := &Pack{Node: n, Items: make([]PackedItem, 0, len(list))}
	pieces := make([]recall.Piece, 0, len(list))
	numbers := map[loci.NodeItemID]string{}
	hidden := map[loci.NodeItemID]bool{}
	next := map[loci.NodeItemID]int{}
	for _, i := range list {
		m := memories[i.MemoryID]
		// the memory was trashed since the items were read, or is not valid now
		if hidden[i.ParentID] || i.Kind == loci.ItemMemory && m == nil {
			hidden[i.ID] = true
			continue
		}
		next[i.ParentID]++
		i.Position = next[i.ParentID] - 1
		number := strconv.Itoa(next[i.ParentID])
		if above := numbers[i.ParentID]; above != "" {
			number = above + "." + number
		}
		numbers[i.ID] = number
		packed, piece := packItem(i, number, m, known[entityRef{i.ProjectID, i.EntityID}])
		out.Items, pieces = append(out.Items, packed), append(pieces, piece)
	}
	text, used := recall.PackNode(n, pieces, budget)
	out.Text, out.Left = text, len(pieces)-used
	out.Items = out.Items[:used]
	return out, nil
}

// memoriesOf returns the memories of items that p sees and that are valid now.
func (s *Service) memoriesOf(ctx context.Context, p loci.Principal, items []loci.NodeItem) (
	map[loci.MemoryID]*loci.Memory, error) {
	var ids []loci.MemoryID
	for _, i := range items {
		if i.Kind == loci.ItemMemory {
			ids = append(ids, i.MemoryID)
		}
	}
	out := map[loci.MemoryID]*loci.Memory{}
	if len(ids) == 0 {
		return out, nil
	}
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		found, err := tx.Memories().GetMany(ctx, p.Viewer(), loci.Unique(ids), loci.CurrentOnly)
		for _, m := range memory.Masked(found) {
			out[m.ID] = m
		}
		return err
	})
	return out, err
}

func packItem(i loci.NodeItem, number string, m *loci.Memory, e *loci.Entity) (PackedItem, recall.Piece) {
	gate.Cover(&i, sensitive.Masked)
	out := PackedItem{NodeItem: i, Number: number, Content: i.Text}
	piece := recall.Piece{Number: number, Origin: i.Origin, At: i.CreatedAt}
	switch i.Kind {
	case loci.ItemMemory:
		out.Title, out.Content = m.Title, m.Content
		piece.Origin, piece.At, piece.Tags = m.Origin, m.CreatedAt, m.Tags
	case loci.ItemEntity:
		lines := make([]string, len(e.Observations))
		for at, o := range e.Observations { // the name may introduce a secret
			if lines[at] = o.Content; !o.SecretsKept {
				lines[at] = sensitive.Replacer(sensitive.Values(e.Name+": "+o.Content), sensitive.Masked)(o.Content)
			}
		}
		out.Title, out.Content = sensitive.Mask(e.Name, e.SecretsKept), strings.Join(lines, "\n")
		piece.Kind, piece.Origin, piece.At = e.Type, e.Origin, e.CreatedAt
	}
	piece.Title, piece.Content = out.Title, out.Content
	return out, piece
}
