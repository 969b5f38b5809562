// Package app holds the use cases: every surface (REST, MCP, CLI, dashboard)
// calls these methods and nothing below them.
//
// Each exported method of App begins with one call of begin, which looks its
// action up in one table and refuses whoever may not do it. What a principal
// may see is decided by loci.Viewer in the store; app decides what may happen.
package app

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/store"
)

// App is the use cases over one store. It is safe for concurrent use.
type App struct {
	rules    Actions
	store    store.Store
	chat     Chat
	now      func() time.Time
	log      *slog.Logger
	budget   int
	deletion loci.Deletion
	meter    Meter
	oauth    *oauth.Server
	signIn   *auth.SignIn
	// registry is held by who looks at the registry of projects before changing
	// it, which are two transactions.
	registry sync.Mutex
	saves    atomic.Int32 // calls of Create that are under way
	bell     *bell        // rung after each write, for those who follow the changes
	turns    *turns
	patience time.Duration // the time of one search
}

// Receipt says what was erased with an org. See store.Receipt.
type Receipt = store.Receipt

// AuditQuery asks for entries of the audit trail. See store.AuditQuery.
type AuditQuery = store.AuditQuery

// AuditRow is an entry of the audit trail. See store.AuditRow.
type AuditRow = store.AuditRow

// Options configure an App.
type Options struct {
	Store    store.Store      // required
	Chat     Chat             // nil: Query answers with the prompt alone
	Now      func() time.Time // default: time.Now
	Log      *slog.Logger     // default: discard
	Budget   int              // characters of memories in a prompt; default 100,000
	Deletion loci.Deletion    // of orgs that say nothing; default: step_up
	Meter    Meter            // told of every metered action; default: nobody
	OAuth    *oauth.Server    // nil: Consent is Unavailable
	SignIn   *auth.SignIn     // nil: NewLink is Unavailable
	Patience time.Duration    // of a search: then it returns what it has found; default: 1 s
}

// Meter is told of each action whose rule says that it is metered, before it is
// carried out. It must not wait.
type Meter func(context.Context, loci.Principal, Action)

// DefaultPatience is how long a search looks.
const DefaultPatience = time.Second

// DefaultBudget is how many characters of memories a prompt takes.
const DefaultBudget = 100_000

// New returns an App. It panics without a store, which only main can cause.
func New(o Options) *App {
	if o.Store == nil {
		panic("app: no store")
	}
	a := &App{rules: rules, bell: &bell{}, chat: o.Chat, now: o.Now, log: o.Log, budget: o.Budget, deletion: o.Deletion, meter: o.Meter,
		oauth: o.OAuth, signIn: o.SignIn, turns: newTurns(), patience: o.Patience}
	a.store = ringing{o.Store, a.bell}
	if a.now == nil {
		a.now = time.Now
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.patience == 0 {
		a.patience = DefaultPatience
	}
	if a.budget <= 0 {
		a.budget = DefaultBudget
	}
	if a.deletion == "" {
		a.deletion = loci.DeleteWithStepUp
	}
	return a
}

// time returns the time as rows keep it.
func (a *App) time() time.Time { return loci.CutTime(a.now()) }
