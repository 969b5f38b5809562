// Package app makes one struct of the services of all capabilities, over one gate. The surfaces (REST, MCP, CLI, web)
// call these services and nothing below them.
package app

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/deployment"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/golden"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/seal"
	"github.com/loci-memory/loci/internal/setting"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/task"
	"github.com/loci-memory/loci/internal/transfer"
	"github.com/loci-memory/loci/internal/vectors"
)

// App is the services over one store.
type App struct {
	*gate.Gate
	Memory     *memory.Service
	Node       *node.Service
	Agent      *agent.Service
	Task       *task.Service
	Review     *review.Service
	Pack       *pack.Service
	Golden     *golden.Service
	Event      *event.Service
	Project    *project.Service
	Graph      *graph.Service
	Org        *org.Service
	Identity   *identity.Service
	Deployment *deployment.Service
	Transfer   *transfer.Service
	Setting    *setting.Service
	Index      *indexing.Index
	Graphs     *indexing.Graphs
	Vectors    *vectors.Index
	// ArcsReady returns nil if every Arc answers in which an org has its events. Everything else works without them.
	ArcsReady func(context.Context) error
}

// Options configure an App.
type Options struct {
	Store    store.Store      // required
	Chat     memory.Chat      // nil: Query answers with the prompt alone
	Now      func() time.Time // default: time.Now
	Log      *slog.Logger     // default: discard
	Budget   int              // characters of memories in a prompt; default memory.DefaultBudget
	Deletion loci.Deletion    // of orgs that say nothing; default: step_up
	Meter    gate.Meter       // told of every metered action; default: nobody
	OAuth    *oauth.Server    // nil: Consent is Unavailable
	SignIn   *auth.SignIn     // nil: NewLink is Unavailable
	Patience time.Duration    // of a search; default memory.DefaultPatience
	// ModelPatience is how long a search waits for a model of embeddings; default: memory.Options has it. If it is set,
	// half of it may pass while vectors that are missing are made.
	ModelPatience time.Duration
	IndexDir      string           // where the full-text index is; default: in memory
	GraphIndexDir string           // where those of graphs are; default: in memory
	Models        embed.Source     // of embeddings; nil: recall finds memories by their words only
	Vectors       vectors.Store    // App.Vectors.Close closes it; nil: there are none
	Extractor     review.Extractor // of candidates; nil: the rules, which need no model
	// Thresholds returns those of the dream-cycle; nil: review.DefaultThresholds.
	Thresholds func(context.Context) map[loci.CandidateKind]float64
	Settings   setting.Options // of the deployment, to show and to change
	Events     event.Options   // without Logs, everything about events is Unavailable
	Master     seal.Ring       // master keys, which seal the keys of Arc; empty: there are none
	// DropEvents deletes the events of an org that is about to be deleted; nil: there are none.
	DropEvents func(context.Context, loci.OrgID) error
	Deployment deployment.Options
	Unwritable bool // nothing can be written in Store
	// Arcs asks every Arc whether it answers; nil: there are none.
	Arcs func(context.Context) error
}

// New returns an App. It panics without a store, which only main can cause.
func New(o Options) *App {
	a := &App{ArcsReady: o.Arcs}
	g := gate.New(gate.Options{Store: o.Store, Actions: tables(), Now: o.Now, Log: o.Log, Deletion: o.Deletion,
		Meter: o.Meter, Unwritable: o.Unwritable, Wrote: func(org loci.OrgID) { a.Vectors.Touch(org) }})
	words := indexing.Options{Store: o.Store, Dir: o.GraphIndexDir, Log: g.Log}
	a.Graphs = indexing.NewGraphs(words)
	a.Gate, a.Project, a.Graph = g, project.New(g), graph.New(g, a.Graphs)
	a.Project.Closed = a.Graphs.DropProject
	words.Dir = o.IndexDir
	a.Index = indexing.New(words)
	if a.ArcsReady == nil {
		a.ArcsReady = func(context.Context) error { return nil }
	}
	a.Vectors = vectors.New(vectors.Options{Store: o.Store, Models: o.Models, Sets: o.Vectors, Log: g.Log, Now: g.Time,
		Patience: o.ModelPatience / 2})
	a.Memory = memory.New(g, a.Project, a.Graph, memory.Options{Chat: o.Chat, Budget: o.Budget, Index: a.Index,
		Vectors: a.Vectors, Patience: o.Patience, ModelPatience: o.ModelPatience})
	o.Events.Patience = cmp.Or(o.Events.Patience, o.Patience)
	a.Event = event.New(g, a.Project, o.Events)
	if o.Events.Logs != nil {
		a.Memory.Events = a.Event
	}
	a.Transfer = transfer.New(g, a.Project, a.Event)
	a.Node = node.New(g, a.Project, a.Graph, a.Memory)
	a.Agent = agent.New(g, a.Project, a.Event)
	a.Task = task.New(g, a.Project)
	a.Review = review.New(g, a.Memory, a.Project, a.Graph, o.Extractor, review.DreamOptions{Events: a.Event.Follower,
		Actor: actors(&o).OnBehalf, Thresholds: o.Thresholds})
	a.Pack = pack.New(g, a.Memory, a.Event, a.Project)
	a.Golden = golden.New(g, a.Memory, a.Vectors)
	a.Org = org.New(g, org.Options{Memories: a.Memory, Nodes: a.Node, Deleted: a.dropped, Master: o.Master,
		DropEvents: o.DropEvents, CopyEvents: a.Event.CopyAll})
	a.Setting = setting.New(g, o.Settings)
	a.Deployment = deployment.New(g, o.Deployment)
	a.Identity = identity.New(g, a.Org, o.OAuth, o.SignIn, a.Event.Forget)
	return a
}

// actors returns what makes principals for the server's own work. It knows no keys.
func actors(o *Options) *auth.Authenticator {
	a, err := auth.New(auth.Options{Store: o.Store, Now: o.Now, Log: o.Log})
	if err != nil {
		panic("app: " + err.Error()) // only keys can be wrong
	}
	return a
}

// dropped removes what there is of a deleted org besides its rows.
func (a *App) dropped(ctx context.Context, org loci.OrgID) {
	a.Index.Drop(ctx, org)
	a.Graphs.Drop(ctx, org)
	a.Vectors.Drop(ctx, org)
	a.Event.Drop(ctx, org)
}

func tables() []gate.Actions {
	return []gate.Actions{memory.Actions, node.Actions, agent.Actions, task.Actions, review.Actions, event.Actions,
		pack.Actions, golden.Actions, project.Actions,
		graph.Actions, org.Actions, identity.Actions, transfer.Actions, deployment.Actions, setting.Actions}
}

// Rules returns the one table of actions, for surfaces that name actions and for tests that walk it.
func Rules() gate.Actions { return gate.Assemble(tables()...) }
