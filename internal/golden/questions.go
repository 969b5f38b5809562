// Package golden holds the golden questions of people: questions with the memories that a good search finds for them,
// and how well searches did over time. It searches as the person whose questions they are, and ranks nothing itself.
package golden

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/vectors"
)

// Draft is loci.NewGoldenQuestion.
type Draft = loci.NewGoldenQuestion

// Patch is loci.GoldenChange.
type Patch = loci.GoldenChange

// Create stores a golden question of the person. Invalid if a limit is broken, and for a memory that the person cannot
// see, whatever the reason; Conflict if there are loci.MaxGoldenQuestions; Forbidden for a key that is limited to
// projects.
func (s *Service) Create(ctx context.Context, p loci.Principal, d Draft) (loci.GoldenQuestion, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return loci.GoldenQuestion{}, err
	}
	now := s.Time()
	made := loci.GoldenQuestion{ID: loci.NewGoldenID(), OrgID: p.OrgID, UserID: p.UserID, WorkspaceID: p.WorkspaceID,
		Question: d.Question, Expected: expect(d.Expected), CreatedAt: now, UpdatedAt: now}
	if err := check(&made); err != nil {
		return made, err
	}
	var out loci.GoldenQuestion
	err := s.Write(ctx, p, Change, func(tx store.Tx, e *loci.AuditEntry) error {
		if !p.Viewer().SeesGolden(made.OrgID, made.UserID, made.WorkspaceID) {
			return loci.Errorf(loci.Forbidden, "a key that is limited to projects has no golden questions; use another key")
		}
		list, err := tx.Golden().List(ctx, p.Viewer(), loci.MaxGoldenQuestions)
		if err != nil {
			return err
		}
		if len(list) >= loci.MaxGoldenQuestions {
			return loci.Errorf(loci.Conflict, "you have %d golden questions, which is the most that a run asks; delete one "+
				"first", loci.MaxGoldenQuestions)
		}
		if out, err = asSeen(ctx, tx, p, made, nil); err != nil {
			return err
		}
		e.Target = made.ID.String()
		return tx.Golden().Insert(ctx, made)
	})
	return out, err
}

func expect(ids []loci.MemoryID) []loci.GoldenMemory {
	return loci.Mapped(ids, func(id loci.MemoryID) loci.GoldenMemory { return loci.GoldenMemory{ID: id} })
}

// check rejects a question that breaks a limit, or that no search takes.
func check(q *loci.GoldenQuestion) error {
	if err := q.Validate(); err != nil {
		return err
	}
	return memory.CheckWords("question", q.Question)
}

// asSeen returns a question with the titles of its memories, or Invalid if p cannot see one that is not among known.
func asSeen(ctx context.Context, tx store.Tx, p loci.Principal, q loci.GoldenQuestion, known []loci.GoldenMemory) (
	loci.GoldenQuestion, error) {
	list := []loci.GoldenQuestion{q}
	if err := entitle(ctx, tx, p, list); err != nil {
		return q, err
	}
	for i, m := range list[0].Expected {
		if m.Title == "" && !slices.Contains(known, loci.GoldenMemory{ID: m.ID}) {
			return q, loci.FieldErrorf(fmt.Sprintf("expected[%d]", i), "must be a memory that you can see")
		}
	}
	return list[0], nil
}

// entitle sets the titles of the memories that p sees.
func entitle(ctx context.Context, tx store.Tx, p loci.Principal, list []loci.GoldenQuestion) error {
	var ids []loci.MemoryID
	for _, q := range list {
		for _, m := range q.Expected {
			ids = append(ids, m.ID)
		}
	}
	found, err := tx.Memories().GetMany(ctx, p.Viewer(), loci.Unique(ids), loci.LiveOnly)
	if err != nil {
		return err
	}
	titles := make(map[loci.MemoryID]string, len(found))
	for _, m := range memory.Masked(found) {
		titles[m.ID] = m.Title
	}
	for i := range list {
		list[i].Expected = loci.Mapped(list[i].Expected, func(m loci.GoldenMemory) loci.GoldenMemory {
			return loci.GoldenMemory{ID: m.ID, Title: titles[m.ID]}
		})
	}
	return nil
}

// List returns the golden questions of the person, first created first.
func (s *Service) List(ctx context.Context, p loci.Principal) ([]loci.GoldenQuestion, error) {
	return gate.BeginView(ctx, s.Gate, p, Read, func(tx store.Tx) ([]loci.GoldenQuestion, error) {
		list, err := tx.Golden().List(ctx, p.Viewer(), everyWorkspace)
		if err == nil {
			err = entitle(ctx, tx, p, list)
		}
		return list, err
	})
}

// everyWorkspace is more than the questions that a person has in one workspace: without a workspace, a credential sees
// those of all.
const everyWorkspace = 10 * loci.MaxGoldenQuestions

// Update changes some fields of a golden question. NotFound if it does not exist or is another person's; otherwise the
// errors of Create, but memories that it expects already need not be visible. A change without effect records nothing.
func (s *Service) Update(ctx context.Context, p loci.Principal, id loci.GoldenID, c Patch) (
	out loci.GoldenQuestion, err error) {
	err = s.BeginWrite(ctx, p, Change, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		before, err := tx.Golden().Get(ctx, p.Viewer(), id)
		if err != nil {
			return err
		}
		after := before
		gate.Set(&after.Question, c.Question)
		if c.Expected != nil {
			after.Expected = expect(c.Expected)
		}
		if err := check(&after); err != nil {
			return err
		}
		if out, err = asSeen(ctx, tx, p, after, before.Expected); err != nil {
			return err
		}
		if reflect.DeepEqual(before, after) {
			e.Action = ""
			return nil
		}
		after.UpdatedAt = gate.Later(s.Time(), before.UpdatedAt)
		out.UpdatedAt = after.UpdatedAt
		return tx.Golden().Update(ctx, after)
	})
	return out, err
}

// Delete permanently deletes a golden question. The runs keep their figures. NotFound if it does not exist or is
// another person's.
func (s *Service) Delete(ctx context.Context, p loci.Principal, id loci.GoldenID) error {
	return s.BeginWrite(ctx, p, Change, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		if _, err := tx.Golden().Get(ctx, p.Viewer(), id); err != nil {
			return err
		}
		return tx.Golden().Delete(ctx, id)
	})
}

// Service provides the operations on golden questions. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	memories *memory.Service
	vectors  *vectors.Index
}

// New returns a Service. vectors are those that the searches of memories use.
func New(g *gate.Gate, memories *memory.Service, vectors *vectors.Index) *Service {
	return &Service{g, memories, vectors}
}
