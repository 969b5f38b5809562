package app

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// Chat is a model that answers a prompt, somewhere on a network. App calls it
// only for Query, and only when the operator configured one.
type Chat interface {
	// Complete returns the model's answer. Upstream if the model fails.
	Complete(ctx context.Context, prompt string) (string, error)
	// Model says what answers.
	Model() ChatModel
}

// ChatModel describes a configured model. It holds no secret.
type ChatModel struct {
	Provider    string // the host of the endpoint
	Name        string
	Temperature float64
	MaxTokens   int
}

// QueryRequest asks a question of the memories.
type QueryRequest struct {
	Filter
	IDs   []loci.MemoryID // only these, best first; nil: all that pass the filter
	Query string          // 1 to loci.MaxQuery characters
	Limit int             // 0: 20; at most 50 memories in the prompt
}

// Reason says why a memory is in a prompt.
type Reason string

// The reasons.
const (
	FitsQuestion Reason = "match"  // it fits the question
	IsRecent     Reason = "recent" // nothing fits; it is among the newest
)

// QueryAnswer is the answer with the receipt of what went into it.
type QueryAnswer struct {
	Response string     // "" if no model is configured
	Model    *ChatModel // nil if no model is configured
	Prompt   string
	Reason   Reason
	Used     []*loci.Memory // in the prompt, in this order
	Cut      []*loci.Memory // ranked, but over the budget
	Total    int            // how many memories fit the question
}

// The number of memories in a prompt.
const (
	DefaultQuery = 20
	MaxQuery     = 50
)

// Query finds the memories that fit the question, puts the best into a prompt
// and, if a model is configured, returns its answer. Nothing is stored.
// Upstream if the model fails.
func (a *App) Query(ctx context.Context, p loci.Principal, r QueryRequest) (*QueryAnswer, error) {
	if err := a.begin(ctx, p, Query); err != nil {
		return nil, err
	}
	if err := loci.CheckText("query", r.Query, 1, loci.MaxQuery); err != nil {
		return nil, err
	}
	limit, err := pageSize("limit", r.Limit, DefaultQuery, MaxQuery)
	if err != nil {
		return nil, err
	}
	if err := a.checkFilter(&r.Filter); err != nil {
		return nil, err
	}
	if r.Lifecycle != loci.LiveOnly {
		return nil, loci.FieldErrorf("memory_filter", "cannot ask the trash")
	}
	if len(r.IDs) > loci.MaxIDs {
		return nil, loci.FieldErrorf("ids", "must have at most %d entries", loci.MaxIDs)
	}
	var answer QueryAnswer
	var memories []*loci.Memory
	err = a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		memories, err = retrieve(ctx, tx, p.Viewer(), r, limit, &answer)
		return err
	})
	if err != nil {
		return nil, err
	}
	pack := recall.Prompt(r.Query, memories, a.budget)
	answer.Prompt, answer.Used, answer.Cut = pack.Prompt, pack.Used, pack.Cut
	return &answer, a.complete(ctx, &answer)
}

// retrieve returns the memories for the prompt, best first: those that fit the
// question, or the newest if none does.
func retrieve(ctx context.Context, tx store.Tx, v loci.Viewer, r QueryRequest, limit int, answer *QueryAnswer) ([]*loci.Memory, error) {
	if r.IDs != nil {
		found, err := readAt(ctx, tx, v, r.IDs, r.When)
		answer.Reason, answer.Total = FitsQuestion, len(found)
		return found[:min(len(found), limit)], err
	}
	page, err := find(ctx, tx, v, SearchRequest{Filter: r.Filter, Query: r.Query}, 0, limit)
	if err != nil {
		return nil, err
	}
	answer.Reason, answer.Total = FitsQuestion, page.Total
	memories := make([]*loci.Memory, len(page.Hits))
	for i, h := range page.Hits {
		memories[i] = h.Memory
	}
	if len(memories) > 0 {
		return memories, nil
	}
	answer.Reason = IsRecent
	newest, err := tx.Lists().List(ctx, v, store.ListQuery{Filter: r.Filter, Limit: limit})
	return newest.Memories, err
}

func (a *App) complete(ctx context.Context, answer *QueryAnswer) error {
	if a.chat == nil {
		return nil
	}
	model := a.chat.Model()
	answer.Model = &model
	text, err := a.chat.Complete(ctx, answer.Prompt)
	if err != nil {
		return loci.WrapError(loci.Upstream, err, "the model at %s did not answer; the memories are safe, try again", model.Provider)
	}
	answer.Response = text
	return nil
}
