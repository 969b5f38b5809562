package golden

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/vectors"
)

// Run asks each golden question of the person as a recall of memories, one after the other, and stores how well the
// searches did. A memory that the person cannot see counts as not found. Conflict if there is no question, or if there
// are more than loci.MaxGoldenQuestions; otherwise the errors of memory.Recall.
func (s *Service) Run(ctx context.Context, p loci.Principal) (*loci.GoldenRun, error) {
	if err := s.Begin(ctx, p, Run); err != nil {
		return nil, err
	}
	list, err := s.toAsk(ctx, p)
	if err != nil {
		return nil, err
	}
	run := &loci.GoldenRun{ID: loci.NewGoldenRunID(), OrgID: p.OrgID, UserID: p.UserID, WorkspaceID: p.WorkspaceID,
		Origin: p.Origin, Model: s.vectors.Model(ctx), Questions: len(list)}
	for i, q := range list {
		loci.ReportProgress(ctx, loci.Progress{Stage: "asking", Done: int64(i), Total: int64(len(list))})
		if err := s.ask(ctx, p, q, run); err != nil {
			return nil, err
		}
	}
	for _, figure := range []*float64{&run.R1, &run.R5, &run.R10, &run.MRR} {
		*figure /= float64(len(list))
	}
	run.At = s.Time()
	err = s.Write(ctx, p, Run, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target, e.Count = run.ID.String(), run.Questions
		return tx.Golden().InsertRun(ctx, run)
	})
	return run, err
}

func (s *Service) toAsk(ctx context.Context, p loci.Principal) ([]loci.GoldenQuestion, error) {
	list, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]loci.GoldenQuestion, error) {
		return tx.Golden().List(ctx, p.Viewer(), loci.MaxGoldenQuestions+1)
	})
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, loci.Errorf(loci.Conflict, "there is no golden question; add one first")
	case len(list) > loci.MaxGoldenQuestions:
		return nil, loci.Errorf(loci.Conflict, "a run asks at most %d golden questions, and you have more; delete some, or "+
			"use a credential of one workspace", loci.MaxGoldenQuestions)
	}
	return list, nil
}

// ask adds what a search finds for a question to the figures.
func (s *Service) ask(ctx context.Context, p loci.Principal, q loci.GoldenQuestion, run *loci.GoldenRun) error {
	page, err := s.memories.Recall(ctx, p, memory.SearchRequest{Query: q.Question, Limit: loci.GoldenDepth,
		Kinds: []memory.Kind{memory.KindMemory}})
	if err != nil {
		return err
	}
	wanted := loci.Mapped(q.Expected, func(m loci.GoldenMemory) loci.MemoryID { return m.ID })
	found := loci.Mapped(page.Items, func(m loci.Recalled) loci.MemoryID { return m.ID })
	ranks := recall.RanksOf(wanted, found)
	run.R1 += recall.ShareWithin(ranks, 1)
	run.R5 += recall.ShareWithin(ranks, 5)
	run.R10 += recall.ShareWithin(ranks, 10)
	run.MRR += recall.Reciprocal(ranks)
	run.Places = append(run.Places, loci.GoldenPlace{ID: q.ID, Rank: recall.First(ranks)})
	if page.StoppedBy != memory.StoppedByNothing {
		run.Spent++
	}
	if state := string(page.Meaning); slices.Index(states, state) > slices.Index(states, run.Meaning) {
		run.Meaning = state
	}
	return nil
}

// states are those of the model of embeddings, each with less than the one before. A run has the last of its searches.
var states = []string{string(vectors.Off), string(vectors.Ready), string(vectors.Partial), string(vectors.Building),
	string(vectors.Unavailable)}

// Runs returns runs of the person's golden questions, newest first. limit is 0 for gate.DefaultPage, and at most
// gate.MaxPage. Invalid if the cursor belongs to another principal.
func (s *Service) Runs(ctx context.Context, p loci.Principal, limit int, cursor string) (
	gate.Page[*loci.GoldenRun], error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return gate.Page[*loci.GoldenRun]{}, err
	}
	return gate.ReadPage(p, "golden runs", nil, limit, cursor,
		func(after store.Position, limit int) (list []*loci.GoldenRun, next store.Position, err error) {
			err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				list, next, err = tx.Golden().Runs(ctx, p.Viewer(), limit, after)
				return err
			})
			return list, next, err
		})
}
