// Package gate decides what may happen. Every use case of a capability begins with Gate.Begin, which looks its action
// up in one table: who may take it, whether it needs a fresh proof, whether it is metered and audited. Gate.Write runs
// the change and its audit entry in one transaction.
//
// The package also holds what all capabilities share around a use case: pages, cursors, requests that are carried out
// once, and the clock. What a principal may see is decided by loci.Viewer in the store.
package gate

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Gate is what the services of all capabilities embed. It is safe for concurrent use.
type Gate struct {
	Store store.Store // it also tells those who wait for changes
	Log   *slog.Logger
	// Registry is held while somebody looks at the registry of projects before changing it, which takes two
	// transactions.
	Registry sync.Mutex

	rules    Actions
	now      func() time.Time
	deletion loci.Deletion
	meter    Meter
	bell     *bell // rung after each write, for those who follow the changes
}

// Options configure a Gate.
type Options struct {
	Store    store.Store      // required
	Actions  []Actions        // the tables of all capabilities
	Now      func() time.Time // default: time.Now
	Log      *slog.Logger     // default: discard
	Deletion loci.Deletion    // of orgs that say nothing; default: step_up
	Meter    Meter            // told of every metered action; default: nobody
}

// New returns a Gate. It panics without a store and if two tables have the same action, which only main can cause.
func New(o Options) *Gate {
	if o.Store == nil {
		panic("gate: no store")
	}
	g := &Gate{Log: o.Log, rules: Assemble(o.Actions...), now: o.Now, deletion: o.Deletion, meter: o.Meter, bell: &bell{}}
	g.Store = ringing{o.Store, g.bell}
	if g.now == nil {
		g.now = time.Now
	}
	if g.Log == nil {
		g.Log = slog.New(slog.DiscardHandler)
	}
	if g.deletion == "" {
		g.deletion = loci.DeleteWithStepUp
	}
	return g
}

// View returns what fn reads in one transaction on the org of p.
func View[T any](ctx context.Context, g *Gate, p loci.Principal, fn func(store.Tx) (T, error)) (got T, err error) {
	err = g.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		got, err = fn(tx)
		return err
	})
	return got, err
}

// Assemble makes one table of several. It panics if two of them have the same action.
func Assemble(tables ...Actions) Actions {
	all := Actions{}
	for _, t := range tables {
		for act := range t {
			if _, ok := all[act]; ok {
				panic("gate: two tables have the action " + string(act))
			}
		}
		maps.Copy(all, t)
	}
	return all
}
