package gate

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// OnceRequest is a request with a key that its sender chose.
type OnceRequest struct {
	Key, Body [32]byte // hashes: of principal, route and key; of the whole body
	// Atomic means that the request makes its change in one transaction of the org, which also
	// finishes the request. So it is carried out exactly once.
	Atomic bool
}

// Once is a request that is being carried out.
type Once struct {
	request  store.IdempotentRequest
	rows     json.RawMessage
	atomic   bool
	finished bool
}

// Repeated is what Loci remembers of a request that it already carried out. It never contains text.
type Repeated struct {
	Status int             `json:"-"`
	Target string          `json:"target,omitempty"` // the id of what it created or changed
	Rows   json.RawMessage `json:"rows,omitempty"`   // of an answer with several rows: ids and numbers
}

// How long a request may take before it counts as lost. The next request with its key then takes
// its place. If two are finished in the transaction of their change, only one succeeds. So the time
// can be short, and a request of a killed server is soon replaced.
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

// BeginOnce stores a request under its key. It returns the request if it is new, and what is remembered of it if it
// was already carried out. It fails with Conflict if the key was used for another request, or if this request is
// being carried out right now. Loci remembers requests for a day.
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

// FinishOnce stores the answer to the request. It does nothing if the request's own transaction has finished it.
func (g *Gate) FinishOnce(ctx context.Context, p loci.Principal, once *Once, answered Repeated) error {
	if once.finished {
		return nil
	}
	once.request.Status, once.rows = answered.Status, answered.Rows
	return g.Store.Update(ctx, p.OrgID, func(tx store.Tx) error { return once.finish(ctx, tx, answered.Target) })
}

// ForgetOnce removes a failed request, so that it may be sent again with the same key. It does
// nothing if the request is finished.
func (g *Gate) ForgetOnce(ctx context.Context, p loci.Principal, once *Once) error {
	if once.finished {
		return nil
	}
	return g.Store.Update(ctx, p.OrgID, func(tx store.Tx) error { return tx.Idempotency().Forget(ctx, once.request) })
}

// Allowed returns nil if p may perform the action. Loci answers a repeated request only for callers
// who may still make it. Allowed meters nothing.
func (g *Gate) Allowed(ctx context.Context, p loci.Principal, act Action) error {
	return g.Also(ctx, p, act)
}

type onceKey struct{}

// Carry returns the context in which to carry out the request. status is the status of its answer if it succeeds.
func (o *Once) Carry(ctx context.Context, status int) context.Context {
	o.request.Status = status
	return context.WithValue(ctx, onceKey{}, o)
}

// onceOf returns the request in ctx, which the transaction of its change must finish, or nil.
func onceOf(ctx context.Context) *Once {
	if o, _ := ctx.Value(onceKey{}).(*Once); o != nil && o.atomic {
		return o
	}
	return nil
}

// Apart returns a context for a change in addition to the one that the request asks for.
func Apart(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, (*Once)(nil))
}

// ChangedOnly marks the request as one that created nothing new, so that its repetition is also answered as a change.
func ChangedOnly(ctx context.Context) {
	if o := onceOf(ctx); o != nil {
		o.request.Status = http.StatusOK
	}
}

// AnswerRows keeps the rows of the answer for a repetition of the request. They must have no text.
func AnswerRows(ctx context.Context, rows any) (err error) {
	if o := onceOf(ctx); o != nil {
		o.rows, err = json.Marshal(rows)
	}
	return err
}

func (o *Once) finish(ctx context.Context, tx store.Tx, target string) (err error) {
	r := o.request
	if r.Answer, err = json.Marshal(Repeated{Target: target, Rows: o.rows}); err != nil {
		return err
	}
	return tx.Idempotency().Finish(ctx, r)
}

// Suggest stores a suggestion, or returns the same one if it is pending already.
func Suggest(ctx context.Context, tx store.Tx, s loci.Suggestion) (loci.Suggestion, error) {
	err := tx.Suggestions().Insert(ctx, s)
	if loci.CodeOf(err) != loci.Conflict {
		return s, err
	}
	return tx.Suggestions().Pending(ctx, &s)
}

// Inbox puts suggestions into the inboxes of their people, unless they are there already.
func (g *Gate) Inbox(ctx context.Context, org loci.OrgID, list []loci.Suggestion) error {
	if len(list) == 0 {
		return nil
	}
	return g.Store.Update(ctx, org, func(tx store.Tx) (err error) {
		for i := 0; i < len(list) && err == nil; i++ {
			_, err = Suggest(ctx, tx, list[i])
		}
		return err
	})
}

// ErrNoWorkspace is the error for a workspace that doesn't exist in the org.
func ErrNoWorkspace() error { return loci.Errorf(loci.NotFound, "no such workspace") }

// Workspace returns a workspace of the org and the number of its workspaces, or NotFound.
func Workspace(ctx context.Context, tx store.Tx, id loci.WorkspaceID) (loci.Workspace, int, error) {
	list, err := tx.Workspaces().List(ctx)
	if err != nil {
		return loci.Workspace{}, 0, err
	}
	n := slices.IndexFunc(list, func(w loci.Workspace) bool { return w.ID == id })
	if n < 0 {
		return loci.Workspace{}, 0, ErrNoWorkspace()
	}
	return list[n], len(list), nil
}
