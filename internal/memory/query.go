package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/chat"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/vectors"
)

// Chat is a model that answers a prompt, somewhere on a network. Only Query calls it, and only if
// the operator configured one.
type Chat interface {
	// Complete returns the model's answer. Upstream if the model fails.
	Complete(ctx context.Context, prompt string) (string, error)
	// Model returns the name of the model and of its provider.
	Model() ChatModel
}

// ChatModel describes a configured model. It contains no secret.
type ChatModel struct {
	Provider    string // the host of the endpoint
	Name        string
	Temperature float64
	MaxTokens   int
}

// QueryRequest is a question about the memories.
type QueryRequest struct {
	Filter
	IDs   []loci.MemoryID // only these, best first; nil: all that pass the filter
	Query string          // 1 to loci.MaxQuery characters
	Limit int             // 0: 20; at most 50 memories in the prompt, including pinned ones
	// MinConfidence is that of SearchRequest. It cannot be used with IDs, and pinned memories stay.
	MinConfidence *float64
	search        SearchRequest // for the question
}

// Reason is why a memory is in a prompt.
type Reason string

// These are the reasons.
const (
	FitsQuestion Reason = "match"  // it matches the question
	IsRecent     Reason = "recent" // nothing matches; it is one of the newest
	IsPinned     Reason = "pinned" // it is always included, whatever the question
)

// QueryAnswer is the answer and the memories that were used for it.
type QueryAnswer struct {
	Response  string     // "" if no model is configured
	Model     *ChatModel // nil if no model is configured
	Prompt    string
	Reason    Reason         // for those that are not pinned
	Used      []*loci.Memory // in the order of the prompt: pinned ones first
	Pinned    int            // how many of Used are pinned; they come first
	Cut       []*loci.Memory // pinned or ranked, but beyond the budget
	Total     int            // how many memories match the question
	StoppedBy StoppedBy      // the search for them
}

// ReasonOf returns why the memory at that place of Used is there.
func (q *QueryAnswer) ReasonOf(i int) Reason {
	if i < q.Pinned {
		return IsPinned
	}
	return q.Reason
}

// These are the numbers of memories in a prompt.
const (
	DefaultQuery = 20
	MaxQuery     = 50
)

// Query finds the memories that match the question, puts the best into a prompt and, if a model
// is configured, returns its answer. It stores nothing.
//
// The pinned memories that pass the filter come first, whatever the question is, the most important before the
// others. They take at most half of the memories and of the budget if there are others. Upstream if the model fails.
func (s *Service) Query(ctx context.Context, p loci.Principal, r QueryRequest) (*QueryAnswer, error) {
	if err := s.Begin(ctx, p, Query); err != nil {
		return nil, err
	}
	if err := loci.CheckText("query", r.Query, 1, loci.MaxQuery); err != nil {
		return nil, err
	}
	limit := r.Limit
	err := gate.SetSize("limit", &limit, DefaultQuery, MaxQuery)
	if err != nil {
		return nil, err
	}
	if err := s.checkFilter(&r.Filter); err != nil {
		return nil, err
	}
	if r.Lifecycle != loci.LiveOnly {
		return nil, loci.FieldErrorf("memory_filter", "cannot ask the trash")
	}
	if len(r.IDs) > loci.MaxIDs {
		return nil, loci.FieldErrorf("ids", "must have at most %d entries", loci.MaxIDs)
	}
	if r.IDs != nil && r.MinConfidence != nil {
		return nil, loci.FieldErrorf("min_confidence", "cannot be used if memory_filter has ids or term")
	}
	if err := checkConfidence(&r.MinConfidence); err != nil {
		return nil, err
	}
	r.Filter = current(r.Filter)
	var graphs inGraphs
	if r.IDs == nil {
		r.search = SearchRequest{Filter: r.Filter, Query: r.Query, MinConfidence: r.MinConfidence}
		if graphs, err = s.askGraphs(ctx, p, &r.search); err != nil {
			return nil, err
		}
		r.search.near = graphs.near
		r.search.meaning, _ = s.askMeaning(ctx, p, r.Query, &r.Filter)
		if err = s.awaitIndex(ctx, p, &r.search); err != nil {
			return nil, err
		}
	}
	var answer QueryAnswer
	var pinned, memories []*loci.Memory
	err = s.scan(ctx, p, func(tx store.Tx) (err error) {
		pinned, memories, err = s.retrieve(ctx, tx, p.Viewer(), r, limit, &answer)
		if err != nil || !r.When.IsPresent() || answer.StoppedBy != "" {
			return err
		}
		return s.disagreeing(ctx, tx, p.Viewer(), slices.Concat(pinned, memories)...)
	})
	if err != nil {
		return nil, err
	}
	if graphs.stopped && answer.StoppedBy == StoppedByNothing {
		answer.StoppedBy = StoppedByTime
	}
	pack := recall.Prompt(r.Query, Masked(pinned), Masked(memories), s.Budget)
	answer.Prompt, answer.Used, answer.Pinned, answer.Cut = pack.Prompt, pack.Used, pack.Pinned, pack.Cut
	return &answer, s.complete(ctx, &answer)
}

// retrieve returns the memories for the prompt, at most limit: first the pinned ones, then those
// that match the question, best first, or the newest if none match.
func (s *Service) retrieve(ctx context.Context, tx store.Tx, v loci.Viewer, r QueryRequest, limit int,
	answer *QueryAnswer) (pinned, others []*loci.Memory, err error) {
	if r.IDs != nil {
		found, err := readAt(ctx, tx, v, r.IDs, &r.Filter)
		answer.Reason, answer.Total = FitsQuestion, len(found)
		for _, m := range found {
			if m.Pinned && len(pinned) < MaxPinned {
				pinned = append(pinned, m)
			}
		}
		pinned, others = pinFirst(pinned, found, limit)
		return pinned, others, err
	}
	if pinned, _, err = alwaysOn(ctx, tx, v, r.Filter); err != nil {
		return nil, nil, err
	}
	if CheckWords("query", r.Query) != nil {
		r.search.Query = strings.ReplaceAll(r.Query, "*", " ") // a question need not be a search
	}
	f, hits, err := s.find(ctx, tx, v, r.search, fromEvents{}, 0, limit)
	if err != nil {
		return nil, nil, err
	}
	answer.Reason, answer.Total, answer.StoppedBy = FitsQuestion, f.total, f.stopped
	for _, h := range hits {
		others = append(others, h.Memory)
	}
	if len(others) == 0 {
		answer.Reason = IsRecent
		newest, err := tx.Lists().List(ctx, v, store.ListQuery{Filter: r.Filter, Limit: limit})
		if err != nil {
			return nil, nil, err
		}
		others = newest.Memories
	}
	pinned, others = pinFirst(pinned, others, limit)
	return pinned, others, nil
}

// pinFirst cuts the pinned and the other memories to limit together, and removes the pinned ones
// from the others. It keeps half of the limit for others if there are enough.
func pinFirst(pinned, others []*loci.Memory, limit int) (first, rest []*loci.Memory) {
	first = pinned[:min(len(pinned), limit)]
	rest = without(others, first)
	for len(first) > (limit+1)/2 && len(first)+len(rest) > limit {
		first = first[:len(first)-1]
		rest = without(others, first)
	}
	return first, rest[:min(len(rest), limit-len(first))]
}

// without returns the memories in list that are not in gone.
func without(list, gone []*loci.Memory) []*loci.Memory {
	is := make(map[loci.MemoryID]bool, len(gone))
	for _, m := range gone {
		is[m.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(m *loci.Memory) bool { return is[m.ID] })
}

func (s *Service) complete(ctx context.Context, answer *QueryAnswer) error {
	if s.o.Chat == nil {
		return nil
	}
	model := s.o.Chat.Model()
	answer.Model = &model
	text, err := s.o.Chat.Complete(ctx, answer.Prompt)
	if err != nil {
		return loci.WrapError(loci.Upstream, err, "the model at %s did not answer; the memories are safe, try again",
			model.Provider)
	}
	answer.Response = text
	return nil
}

// DefaultBudget is how many characters of memories a prompt may have.
const DefaultBudget = 100_000

// askMeaning returns how a search finds what means the same as its question. It does so before the search has a
// transaction, because the model may be on another machine. If the model needs longer than modelPatience, the next
// search with the same question has its answer.
func (s *Service) askMeaning(ctx context.Context, p loci.Principal, question string, f *Filter) (index.Meaning,
	vectors.State) {
	if s.o.Vectors == nil || !f.When.IsPresent() {
		return index.Meaning{}, vectors.Off
	}
	short, cancel := context.WithTimeoutCause(ctx, s.o.ModelPatience, loci.ErrSpent)
	defer cancel()
	return s.o.Vectors.Meaning(short, p.OrgID, question)
}

// Facets counts the visible memories that pass the filter by origin, allowed vendor, tag, category, type, scope,
// project and pin. With Filter.Lifecycle TrashOnly it counts those in the trash, which only people may. Invalid for
// another time than the present, RateLimited if the caller counts or searches too much at a time: it reads every row.
func (s *Service) Facets(ctx context.Context, p loci.Principal, f Filter) (*loci.Facets, error) {
	if err := s.Begin(ctx, p, reading(&f)); err != nil {
		return nil, err
	}
	if err := s.checkFilter(&f); err != nil {
		return nil, err
	}
	if !f.When.IsPresent() {
		return nil, loci.FieldErrorf("known_at", "cannot be used for facets; leave out as_of and known_at")
	}
	var out loci.Facets
	err := s.scan(ctx, p, func(tx store.Tx) (err error) {
		out, err = tx.Lists().Facets(ctx, p.Viewer(), f)
		return err
	})
	return &out, err
}

// ReplacedBy returns the memories that a memory replaced and that the person sees, oldest first and at most
// loci.MaxIDs, without those in the trash and expired ones. NotFound if the memory does not exist or is not visible.
func (s *Service) ReplacedBy(ctx context.Context, p loci.Principal, id loci.MemoryID) (out []*loci.Memory, err error) {
	if err := s.Begin(ctx, p, History); err != nil {
		return nil, err
	}
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		if _, err := tx.Memories().Get(ctx, p.Viewer(), id, loci.AnyState); err != nil {
			return err
		}
		out, err = tx.Memories().ReplacedBy(ctx, p.Viewer(), id, loci.MaxIDs)
		return err
	})
	return Masked(out), err
}

// Readers returns which vendors' assistants get a memory, and why others do not: for a person, also about one that is
// in the trash, expired or superseded. NotFound if the memory does not exist or is not visible.
func (s *Service) Readers(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.MemoryReaders, error) {
	if err := s.Begin(ctx, p, History); err != nil {
		return nil, err
	}
	var out loci.MemoryReaders
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		m, err := tx.Memories().Get(ctx, p.Viewer(), id, loci.AnyState)
		if err == nil {
			out = p.Viewer().ReadersOf(m, s.Time())
		}
		return err
	})
	return &out, err
}

// NewChat returns a Chat that uses an OpenAI-compatible endpoint. It fails like chat.New.
func NewChat(o chat.Options) (Chat, error) {
	c, err := chat.New(o)
	if err != nil {
		return nil, err
	}
	return endpoint{c}, nil
}

// endpoint is a Chat.
type endpoint struct{ *chat.Client }

// Model returns the name of the model and of its provider.
func (e endpoint) Model() ChatModel {
	return ChatModel{Provider: e.Host, Name: e.Options.Model, Temperature: e.Temperature, MaxTokens: e.MaxTokens}
}

// Complete sends the prompt as one user message.
func (e endpoint) Complete(ctx context.Context, prompt string) (string, error) {
	a, err := e.Ask(ctx, chat.Question{Prompt: prompt})
	return a.Text, err
}
