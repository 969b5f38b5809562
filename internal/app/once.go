package app

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// OnceRequest is a request under a key that its sender chose.
type OnceRequest struct {
	Key, Body [32]byte // hashes: of principal, route and key; of all that was sent
	// Atomic says that the request makes its change in one transaction of the org, in which it is then finished,
	// too: whatever happens, it is carried out once.
	Atomic bool
}

// Once is a request that is being carried out.
type Once struct {
	request  store.IdempotentRequest
	atomic   bool
	finished bool
	kept     any
}

// Repeated is what is known of a request that was carried out before. It holds ids and numbers, never text.
type Repeated struct {
	Status int             `json:"-"`
	Target string          `json:"target,omitempty"` // the id of what it changed
	Kept   json.RawMessage `json:"kept,omitempty"`   // see Once.Keep and App.FinishOnce
}

// How long a request may take before it counts as lost, and the next one with its key is carried out in its place. Of two
// that are finished in the transaction of their change only one gets through, so what a killed server left is taken over soon.
const (
	onceStale       = 5 * time.Minute
	onceStaleAtomic = 10 * time.Second
)

func (r OnceRequest) stale() time.Duration {
	if r.Atomic {
		return onceStaleAtomic
	}
	return onceStale
}

// BeginOnce enters a request under its key. It returns the request if it is new, and what is known of it if it was carried
// out before. Conflict if another one came with the same key, or this one is being carried out right now. What is known is kept for a day.
func (a *App) BeginOnce(ctx context.Context, p loci.Principal, r OnceRequest) (*Once, *Repeated, error) {
	now := a.time()
	once := &Once{request: store.IdempotentRequest{Key: r.Key, Body: r.Body, At: now}, atomic: r.Atomic}
	var known store.IdempotentRequest
	var began bool
	err := a.store.Update(ctx, p.OrgID, func(tx store.Tx) (err error) {
		known, began, err = tx.Idempotency().Begin(ctx, once.request, now.Add(-r.stale()))
		return err
	})
	switch {
	case err != nil:
		return nil, nil, err
	case began:
		return once, nil, nil
	case known.Status == 0:
		return nil, nil, loci.Errorf(loci.Conflict, "a request with this Idempotency-Key is being carried out; send it again in a moment to get its answer")
	}
	done := &Repeated{}
	if err := json.Unmarshal(known.Answer, done); err != nil {
		return nil, nil, err
	}
	done.Status = known.Status
	return nil, done, nil
}

// FinishOnce keeps what the request is to be answered with when it comes again: kept, of which text must be no part. It
// does nothing for one that its own transaction has finished.
func (a *App) FinishOnce(ctx context.Context, p loci.Principal, once *Once, status int, kept any) error {
	if once.finished {
		return nil
	}
	once.kept = kept
	once.request.Status = status
	return a.store.Update(ctx, p.OrgID, func(tx store.Tx) error { return once.finish(ctx, tx, "") })
}

// ForgetOnce takes back a request that failed: it may be sent again under its key. It does nothing for one that is finished.
func (a *App) ForgetOnce(ctx context.Context, p loci.Principal, once *Once) error {
	if once.finished {
		return nil
	}
	return a.store.Update(ctx, p.OrgID, func(tx store.Tx) error { return tx.Idempotency().Forget(ctx, once.request) })
}

// Allowed returns nil if p may take the action: a repeated request is answered only to who may still make it. It meters nothing.
func (a *App) Allowed(ctx context.Context, p loci.Principal, act Action) error {
	return a.also(ctx, p, act)
}

type onceKey struct{}

// Carry returns the context in which the request is carried out. status is what it is answered with if it succeeds.
func (o *Once) Carry(ctx context.Context, status int) context.Context {
	o.request.Status = status
	return context.WithValue(ctx, onceKey{}, o)
}

// onceOf returns the request that ctx carries, which is to be finished in the transaction that
// makes its change; or nil.
func onceOf(ctx context.Context) *Once {
	if o, _ := ctx.Value(onceKey{}).(*Once); o != nil && o.atomic {
		return o
	}
	return nil
}

// apart returns a context for a change beside the one that the request asks for.
func apart(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, (*Once)(nil))
}

// keep says what more than the target the answer is made of when the request comes again: ids and numbers, never text.
func keep(ctx context.Context, v any) {
	if o := onceOf(ctx); o != nil {
		o.kept = v
	}
}

func (o *Once) finish(ctx context.Context, tx store.Tx, target string) error {
	r := o.request
	kept, err := json.Marshal(o.kept)
	if err != nil {
		return err
	}
	if o.kept == nil {
		kept = nil
	}
	if r.Answer, err = json.Marshal(Repeated{Target: target, Kept: kept}); err != nil {
		return err
	}
	return tx.Idempotency().Finish(ctx, r)
}

// KeptSave is what is kept of a save besides the memory's id.
type KeptSave struct {
	ReplacedVersion int                 `json:"replaced_version,omitempty"`
	Unchanged       bool                `json:"unchanged,omitempty"`
	SimilarSkipped  bool                `json:"similar_skipped,omitempty"`
	Superseded      []loci.MemoryID     `json:"superseded,omitempty"`
	Suggestions     []loci.SuggestionID `json:"suggestions,omitempty"`
	Sources         []loci.SourceID     `json:"sources,omitempty"`
}

// keepSave says what of a save its repetition is made of.
func keepSave(ctx context.Context, s *loci.Saved) {
	k := KeptSave{ReplacedVersion: s.ReplacedVersion, Unchanged: s.Unchanged, SimilarSkipped: s.SimilarSkipped, Superseded: s.Superseded}
	for _, one := range s.Suggestions {
		k.Suggestions = append(k.Suggestions, one.ID)
	}
	for _, one := range s.Sources {
		k.Sources = append(k.Sources, one.ID)
	}
	keep(ctx, k)
}

// SavedBefore answers a save that was carried out before: the memory as it is
// now, with the suggestions and sources that are there still. NotFound if the
// principal does not see the memory any more, or it is not live; Conflict for whoever may only write, as somebody else may
// have changed the memory meanwhile.
func (a *App) SavedBefore(ctx context.Context, p loci.Principal, id loci.MemoryID, k KeptSave) (*loci.Saved, error) {
	if err := a.begin(ctx, p, MemoryCreate); err != nil {
		return nil, err
	}
	if !p.Has(loci.RightRead) {
		return nil, loci.Errorf(loci.Conflict, "this request was carried out and saved memory %s; its answer is not repeated to a credential without %q", id, loci.RightRead)
	}
	out := &loci.Saved{ReplacedVersion: k.ReplacedVersion, Unchanged: k.Unchanged, SimilarSkipped: k.SimilarSkipped, Superseded: k.Superseded}
	err := a.store.View(ctx, p.OrgID, func(tx store.Tx) error {
		m, err := tx.Memories().Get(ctx, p.Viewer(), id, loci.LiveOnly)
		if err != nil {
			return err
		}
		out.Memory = *m
		for _, one := range k.Suggestions {
			s, err := tx.Suggestions().Get(ctx, p.Viewer(), one)
			if err == nil {
				out.Suggestions = append(out.Suggestions, s)
			} else if loci.CodeOf(err) != loci.NotFound {
				return err
			}
		}
		if len(k.Sources) == 0 {
			return nil
		}
		sources, err := tx.Sources().List(ctx, p.Viewer(), []loci.MemoryID{id}, loci.LiveOnly)
		for _, s := range sources {
			if slices.Contains(k.Sources, s.ID) {
				out.Sources = append(out.Sources, s)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !k.SimilarSkipped {
		out.Similar = a.similar(ctx, p, &out.Memory)
	}
	return out, nil
}
