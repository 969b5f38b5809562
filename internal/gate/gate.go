// Package gate decides what may happen. Every use case of a capability starts with Gate.Begin,
// which looks up its action in one table: who may perform it, and whether it needs a fresh proof,
// is metered or is audited. Gate.Write runs the change and its audit entry in one transaction.
//
// The package also contains what the use cases of all capabilities share: pages, cursors, requests that are carried
// out once, and the clock. loci.Viewer in the store decides what a principal may see.
package gate

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/fair"
	"github.com/loci-memory/loci/internal/store"
)

// Gate is embedded in the services of all capabilities. It is safe for concurrent use.
type Gate struct {
	Store store.Store // it also wakes callers that wait for changes
	Log   *slog.Logger
	o     Options

	rules Actions
	bell  *bell // rung after each write, for callers that follow the changes

	processors, room *fair.Pool
}

// Options configure a Gate.
type Options struct {
	Store      store.Store      // required
	Actions    []Actions        // the tables of all capabilities
	Now        func() time.Time // default: time.Now
	Log        *slog.Logger     // default: discard
	Deletion   loci.Deletion    // for orgs without their own rule; default: step_up
	Meter      Meter            // receives every metered action; default: none
	Unwritable bool             // nothing can be written in Store
	// Wrote is called after each write to an org; default: nobody wants to know.
	Wrote func(loci.OrgID)
}

// New returns a Gate. It panics without a store, or if two tables contain the same action. Only main can cause that.
func New(o Options) *Gate {
	if o.Store == nil {
		panic("gate: no store")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Deletion = cmp.Or(o.Deletion, loci.DeleteWithStepUp)
	rings := &bell{wrote: o.Wrote}
	return &Gate{Store: ringing{o.Store, rings}, Log: o.Log, o: o, rules: Assemble(o.Actions...), bell: rings,
		processors: newProcessors(), room: newRoom()}
}

// LockWorkspaces locks which workspaces the org has, and which people and projects are in them. The people are in the
// org's rows and the projects in the registry, so no single transaction can check both. See store.Store.Lock.
func (g *Gate) LockWorkspaces(ctx context.Context, org loci.OrgID) (held context.Context, unlock func(), err error) {
	return g.Store.Lock(ctx, "workspaces/"+string(org))
}

// View returns what fn reads in one transaction on the org of p.
func View[T any](ctx context.Context, g *Gate, p loci.Principal, fn func(store.Tx) (T, error)) (got T, err error) {
	err = g.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		got, err = fn(tx)
		return err
	})
	return got, err
}

// BeginView is Begin, then View.
func BeginView[T any](ctx context.Context, g *Gate, p loci.Principal, act Action, fn func(store.Tx) (T, error)) (
	got T, err error) {
	if err := g.Begin(ctx, p, act); err != nil {
		return got, err
	}
	return View(ctx, g, p, fn)
}

// Assemble merges several tables into one. It panics if two of them contain the same action.
func Assemble(tables ...Actions) Actions {
	all := Actions{}
	for _, t := range tables {
		for act, rule := range t {
			all.add(act, rule)
		}
	}
	return all
}

// Time returns the current time in the precision of stored rows.
func (g *Gate) Time() time.Time { return loci.CutTime(g.o.Now()) }

// Later keeps the history in order when a clock was set back.
func Later(now, before time.Time) time.Time {
	if now.After(before) {
		return now
	}
	return before.Add(time.Microsecond)
}

// Ready returns nil if the store can read and write. It needs no credential, because it reveals
// nothing about anyone's rows.
func (g *Gate) Ready(ctx context.Context) error { return g.Store.Ready(ctx) }

// Set assigns value to a field that a patch names, unless value is nil.
func Set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
