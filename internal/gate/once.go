package gate

import (
	"context"
	"encoding/json"
	"net/http"
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
}

// Repeated is what Loci knows of a request that it carried out before: never text.
type Repeated struct {
	Status int    `json:"-"`
	Target string `json:"target,omitempty"` // the id of what it made or changed
}

// How long a request may take before it counts as lost, and the next one with its key is carried out in its place. Of
// two that are finished in the transaction of their change only one gets through, so what a killed server left is
// taken over soon.
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

// BeginOnce enters a request under its key. It returns the request if it is new, and what is known of it if it was
// carried out before. Conflict if another one came with the same key, or this one is being carried out right now. What
// is known is kept for a day.
func (g *Gate) BeginOnce(ctx context.Context, p loci.Principal, r OnceRequest) (*Once, *Repeated, error) {
	now := g.Time()
	once := &Once{request: store.IdempotentRequest{Key: r.Key, Body: r.Body, At: now}, atomic: r.Atomic}
	var known store.IdempotentRequest
	var began bool
	err := g.Store.Update(ctx, p.OrgID, func(tx store.Tx) (err error) {
		known, began, err = tx.Idempotency().Begin(ctx, once.request, now.Add(-r.stale()))
		return err
	})
	switch {
	case err != nil:
		return nil, nil, err
	case began:
		return once, nil, nil
	case known.Status == 0:
		return nil, nil, loci.Errorf(loci.Conflict,
			"a request with this Idempotency-Key is being carried out; send it again in a moment to get its answer")
	}
	done := &Repeated{}
	if err := json.Unmarshal(known.Answer, done); err != nil {
		return nil, nil, err
	}
	done.Status = known.Status
	return nil, done, nil
}

// FinishOnce keeps how the request was answered. It does nothing for one that its own transaction has finished.
func (g *Gate) FinishOnce(ctx context.Context, p loci.Principal, once *Once, answered Repeated) error {
	if once.finished {
		return nil
	}
	once.request.Status = answered.Status
	return g.Store.Update(ctx, p.OrgID, func(tx store.Tx) error { return once.finish(ctx, tx, answered.Target) })
}

// ForgetOnce takes back a request that failed: it may be sent again under its key. It does nothing for one that is
// finished.
func (g *Gate) ForgetOnce(ctx context.Context, p loci.Principal, once *Once) error {
	if once.finished {
		return nil
	}
	return g.Store.Update(ctx, p.OrgID, func(tx store.Tx) error { return tx.Idempotency().Forget(ctx, once.request) })
}

// Allowed returns nil if p may take the action: a repeated request is answered only to who may still make it. It
// meters nothing.
func (g *Gate) Allowed(ctx context.Context, p loci.Principal, act Action) error {
	return g.Also(ctx, p, act)
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

// Apart returns a context for a change beside the one that the request asks for.
func Apart(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, (*Once)(nil))
}

// ChangedOnly says that the request made nothing new, so that its repetition is
// answered as a change, too.
func ChangedOnly(ctx context.Context) {
	if o := onceOf(ctx); o != nil {
		o.request.Status = http.StatusOK
	}
}

func (o *Once) finish(ctx context.Context, tx store.Tx, target string) (err error) {
	r := o.request
	if r.Answer, err = json.Marshal(Repeated{Target: target}); err != nil {
		return err
	}
	return tx.Idempotency().Finish(ctx, r)
}
