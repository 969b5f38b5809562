package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// BulkItem is one operation of a bulk call: what Create, Patch and Trash take. The first maxBulkCompared creates of a
// call are compared with what Loci has.
type BulkItem struct {
	Op        loci.BulkOp
	Draft     Draft         // for create
	ID        loci.MemoryID // for update and trash
	IfVersion int           // for update and trash; 0: any
	Patch     Patch         // for update
	Err       error         // why the operation fails, if the caller knows already
}

// Bulk runs up to loci.MaxBulk operations, in order. With together, it runs all in one transaction or none; then the
// error is a *loci.ItemsError with the reason for each rejected item. Otherwise it runs each on its own, and the
// item's result has the error. Forbidden, whatever the items, if the credential may not run one of the operations;
// Invalid for no items, too many or an unknown operation.
func (s *Service) Bulk(ctx context.Context, p loci.Principal, items []BulkItem, together bool) (
	[]loci.BulkResult, error) {
	if err := s.Begin(ctx, p, bulkAction(items)); err != nil {
		return nil, err
	}
	if err := s.mayBulk(ctx, p, items); err != nil {
		return nil, err
	}
	items = fewCompared(items)
	ctx, done, err := s.Turn(ctx) // what many bulks compute would slow down the one that holds the writer
	if err != nil {
		return nil, err
	}
	defer done()
	if together {
		return s.bulk(ctx, p, items, 0)
	}
	ctx = gate.Apart(ctx)
	results := make([]loci.BulkResult, 0, len(items))
	for i := range items {
		done, err := s.bulk(ctx, p, items[i:i+1], i)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			done = []loci.BulkResult{{Index: i, Op: items[i].Op, ID: items[i].ID, Error: s.refusal(ctx, i, err)}}
		}
		results = append(results, done...)
	}
	return results, nil
}

// fewCompared returns the items with those creates not compared that exceed maxBulkCompared, as all of them keep the
// other writers of the org waiting.
func fewCompared(items []BulkItem) []BulkItem {
	items = slices.Clone(items)
	compared := 0
	for i := range items {
		if items[i].Op != loci.BulkCreate || items[i].Draft.NotCompared {
			continue
		}
		compared++
		items[i].Draft.NotCompared = compared > maxBulkCompared
	}
	return items
}

// bulkActions are what the operations carry out.
var bulkActions = map[loci.BulkOp]gate.Action{loci.BulkCreate: Create, loci.BulkUpdate: Change, loci.BulkTrash: Trash}

func bulkAction(items []BulkItem) gate.Action {
	if len(items) > 0 && bulkActions[items[0].Op] != "" {
		return bulkActions[items[0].Op]
	}
	return Create
}

func (s *Service) mayBulk(ctx context.Context, p loci.Principal, items []BulkItem) error {
	if len(items) == 0 || len(items) > loci.MaxBulk {
		return loci.FieldErrorf("operations", "must have 1 to %d entries", loci.MaxBulk)
	}
	asked := map[gate.Action]bool{bulkAction(items): true}
	for i := range items {
		act, ok := bulkActions[items[i].Op]
		if !ok {
			return loci.FieldErrorf("operations", "must be create, update or trash; number %d (counted from 0) is not", i)
		}
		if asked[act] {
			continue
		}
		asked[act] = true
		if err := s.Also(ctx, p, act); err != nil {
			return err
		}
	}
	return nil
}

// refusal turns an error into an item's error. It hides internal errors.
func (s *Service) refusal(ctx context.Context, index int, err error) *loci.ItemError {
	var items *loci.ItemsError
	if errors.As(err, &items) && len(items.Items) > 0 {
		return &items.Items[0]
	}
	code := loci.CodeOf(err)
	if code == "" {
		s.Log.ErrorContext(ctx, "an item of a bulk call failed", "index", index, "error", err)
		code = "internal"
	}
	return &loci.ItemError{Index: index, Code: code, Text: loci.SafeText(err)}
}

// bulk runs all items in one transaction. first is the index of the first one.
func (s *Service) bulk(ctx context.Context, p loci.Principal, items []BulkItem, first int) ([]loci.BulkResult, error) {
	b := &bulkRun{app: s, p: p, items: items, first: first, savings: make([]*saving, len(items))}
	for i := range items {
		if err := b.prepare(ctx, i); err != nil && !b.refuse(i, err) {
			return nil, err
		}
	}
	if len(b.refused) > 0 {
		return nil, &loci.ItemsError{Items: b.refused}
	}
	err := s.openly(ctx, p, loci.ProjectID{}, func(open func(loci.ProjectID) error) error {
		return s.Write(ctx, p, bulkAction(items), func(tx store.Tx, e *loci.AuditEntry) error {
			e.Action = "" // each operation has its own entry
			return b.run(ctx, tx, open)
		})
	})
	if err != nil {
		return nil, err
	}
	for i, saving := range b.savings {
		if saving != nil {
			saving.tell(ctx)
			b.results[i].Similar, b.results[i].SimilarSkipped = saving.saved.Similar, saving.saved.SimilarSkipped
		}
	}
	return b.results, nil
}

type bulkRun struct {
	app     *Service
	p       loci.Principal
	items   []BulkItem
	first   int
	savings []*saving // of the creates
	results []loci.BulkResult
	refused []loci.ItemError
}

// refuse records the error of an item. It returns false if the error concerns the whole call.
func (b *bulkRun) refuse(i int, err error) bool {
	switch loci.CodeOf(err) {
	case "", loci.Full, loci.Unavailable:
		return false
	}
	text := loci.SafeText(err)
	if loci.FieldOf(err) == "" && len(b.items) > 1 { // tell which item it is about
		text = fmt.Sprintf("operations[%d]: %s", b.first+i, text)
	}
	b.refused = append(b.refused, loci.ItemError{Index: b.first + i, Code: loci.CodeOf(err), Text: text})
	return true
}

// prepare checks everything that does not depend on stored data.
func (b *bulkRun) prepare(ctx context.Context, i int) error {
	if b.items[i].Err != nil || b.items[i].Op != loci.BulkCreate {
		return b.items[i].Err
	}
	s, err := b.app.newSaving(ctx, b.p, b.items[i].Draft, &loci.Memory{})
	if err != nil {
		return err
	}
	b.savings[i] = s
	if err := s.may(ctx); err != nil {
		return err
	}
	return b.app.projects.MustBeOpen(ctx, b.p, s.m.ProjectID)
}

// run may run several times.
func (b *bulkRun) run(ctx context.Context, tx store.Tx, open func(loci.ProjectID) error) error {
	b.results, b.refused = make([]loci.BulkResult, 0, len(b.items)), nil
	counts := map[gate.Action]int{}
	for i := range b.items {
		r, act, err := b.one(ctx, tx, i, open)
		if errors.Is(err, errAskProject) {
			return err
		}
		if err != nil && !b.refuse(i, err) {
			return err
		}
		r.Index, r.Op = b.first+i, b.items[i].Op
		b.results = append(b.results, r)
		if act != "" {
			counts[act]++
		}
	}
	if len(b.refused) > 0 {
		return &loci.ItemsError{Items: b.refused}
	}
	if err := gate.AnswerRows(ctx, loci.KeptResults(b.results)); err != nil {
		return err
	}
	for i := range b.results { // now that all are in the trash
		r := &b.results[i]
		if r.Op != loci.BulkTrash {
			continue
		}
		var err error
		if r.StillSuperseded, err = stillSuperseded(ctx, tx, b.p.Viewer(), r.ID); err != nil {
			return err
		}
	}
	for _, act := range []gate.Action{Create, Change, Trash} {
		if counts[act] == 0 {
			continue
		}
		e := b.app.Entry(b.p, act)
		e.Count = counts[act]
		if err := tx.Audit().Add(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// one runs one item and returns the action to record, "" for none.
func (b *bulkRun) one(ctx context.Context, tx store.Tx, i int, open func(loci.ProjectID) error) (
	loci.BulkResult, gate.Action, error) {
	item := &b.items[i]
	if item.Op == loci.BulkCreate {
		return b.create(ctx, tx, b.savings[i], open)
	}
	how := edit{act: bulkActions[item.Op], ifVersion: item.IfVersion, what: loci.Trashed, fn: b.app.toTrash}
	if item.Op == loci.BulkUpdate {
		how.what = loci.Updated
		how.fn = b.app.updating(b.p, edited(&item.Patch), open)
	}
	old, err := owned(ctx, tx, b.p, item.ID, how)
	if err != nil {
		return loci.BulkResult{}, "", err
	}
	m, err := b.app.put(ctx, tx, b.p, old, how)
	if err != nil {
		return loci.BulkResult{}, "", err
	}
	if m == old {
		return loci.BulkResult{ID: m.ID, Version: m.Version, Unchanged: true}, "", nil
	}
	secrets := SecretsIn(m)
	return loci.BulkResult{ID: m.ID, Version: m.Version, Secrets: secrets, Hint: loci.SecretHint(secrets)}, how.act, nil
}

func (b *bulkRun) create(ctx context.Context, tx store.Tx, s *saving, open func(loci.ProjectID) error) (
	loci.BulkResult, gate.Action, error) {
	e := b.app.Entry(b.p, Create)
	if err := s.run(ctx, tx, &e, open); err != nil {
		return loci.BulkResult{}, "", err
	}
	r := loci.BulkResult{ID: s.saved.ID, Version: s.saved.Version, Created: s.saved.Created(),
		ReplacedVersion: s.saved.ReplacedVersion, ReplacedEditor: s.saved.ReplacedEditor,
		ReplacedTitle: s.saved.ReplacedTitle,
		NoValueUntil:  s.saved.NoValueUntil,
		Unchanged:     s.saved.Unchanged, Identical: s.saved.Identical, Superseded: s.saved.Superseded,
		Narrowed: s.saved.Narrowed, NotNarrowed: s.saved.NotNarrowed,
		NoLongerShared: s.saved.NoLongerShared, Hint: s.saved.Hint, Secrets: s.saved.Secrets}
	for _, one := range s.saved.Suggestions {
		r.Suggestions = append(r.Suggestions, one.ID)
	}
	return r, gate.Action(e.Action), nil
}
