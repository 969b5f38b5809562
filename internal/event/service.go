// Package event holds the operations on events: to log them, to read them and to search in them.
//
// Events are in a log of their own, one for each org. A session and its agents are in the org's store. So a write
// first looks up who may write where, and then appends. The log itself refuses events of a session that has been
// closed meanwhile. What became of a session is in the store first, and every call brings it to the log before it
// reads or writes there (follow.go).
package event

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/memo"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// Actions on events.
var (
	Log    = Actions.Add("event.log", gate.Everyone, gate.Events, gate.Metered)
	Read   = Actions.Add("event.read", gate.Everyone, gate.Events, gate.Metered)
	Dead   = Actions.Add("event.dead", gate.Operator, nil, 0)
	Replay = Actions.Add("event.replay", gate.Operator, nil, gate.WithChange)
)

// Logs returns the log that has the events of an org. It is asked on every call, because an org may move to another
// one. Unavailable if the org has none.
type Logs interface {
	Of(ctx context.Context, org loci.OrgID) (eventlog.Engine, error)
}

// none are the Logs of an App without events.
type none struct{}

func (none) Of(context.Context, loci.OrgID) (eventlog.Engine, error) {
	return nil, loci.Errorf(loci.Unavailable, "this server keeps no events")
}

// Options configure a Service.
type Options struct {
	Logs Logs // nil: every call is Unavailable
	// IndexDir is where the indexes are with which recall finds events; "": in memory only.
	IndexDir string
	// Dedup says which events count as duplicates at the moment; nil: always DefaultDedup.
	Dedup func(context.Context) eventlog.Dedup
	// Patience is how long a search may take. After that it returns what it has found. Default: DefaultPatience.
	Patience time.Duration
	// Later calls a function after some time, unless stop is called before; nil: time.AfterFunc.
	Later func(wait time.Duration, do func()) (stop func() bool)
	// Orgs returns the orgs that have events, for Run; nil: it only looks after those in which something happens.
	Orgs func(context.Context) ([]loci.OrgID, error)
	// DeadLetters are the events that an Arc refused; nil: there are none.
	DeadLetters eventlog.DeadLetters
}

// DefaultDedup finds duplicates within a day.
var DefaultDedup = eventlog.Dedup{Window: 24 * time.Hour}

// DefaultPatience is how long a search may take by default.
const DefaultPatience = 3 * time.Second

// maxMemo limits how much a process remembers of a kind. It only costs time to forget.
const maxMemo = 10_000

// always is the stamp of what holds forever.
var always struct{}

// Service provides the operations on events. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	o        Options
	projects *project.Service
	told     *memo.Memo[loci.SessionID, struct{}, int64]   // the revisions that the log knows from this process
	followed *memo.Memo[loci.OrgID, store.Stamp, struct{}] // the states of orgs of which the log knows all sessions
	touched  *memo.Memo[touch, struct{}, time.Time]
	due      dueOrgs
	index    *indexing.Index
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service, o Options) *Service {
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	if o.Dedup == nil {
		o.Dedup = func(context.Context) eventlog.Dedup { return DefaultDedup }
	}
	if o.Later == nil {
		o.Later = func(wait time.Duration, do func()) func() bool { return time.AfterFunc(wait, do).Stop }
	}
	if o.Logs == nil {
		o.Logs = none{}
	}
	s := &Service{Gate: g, o: o, projects: projects,
		due:      dueOrgs{orgs: map[loci.OrgID]bool{}, wake: make(chan struct{}, 1)},
		told:     memo.New[loci.SessionID, struct{}, int64](maxMemo),
		followed: memo.New[loci.OrgID, store.Stamp, struct{}](maxMemo),
		touched:  memo.New[touch, struct{}, time.Time](maxMemo)}
	s.index = indexing.NewEvents(indexing.EventsOptions{Options: indexing.Options{Store: g.Store, Dir: o.IndexDir,
		Log: g.Log}, Events: s.Follower})
	return s
}

// Index returns the index of all events, for Run and for those who look after it.
func (s *Service) Index() *indexing.Index { return s.index }

// Follower returns the log of an org, which knows what became of its sessions, for what the server derives from all
// events. Unavailable if there are no events.
func (s *Service) Follower(ctx context.Context, org loci.OrgID) (eventlog.Follower, error) {
	return s.of(ctx, org)
}

// CopyAll writes all events of an org to w, the oldest first, as JSON lines. It applies no visibility rule: it is for
// a copy of the whole org. Its errors are those of Follower.
func (s *Service) CopyAll(ctx context.Context, org loci.OrgID, w io.Writer) error {
	if s.keepsNone() {
		return nil
	}
	log, err := s.Follower(ctx, org)
	progress := loci.Progress{Stage: "copying events"}
	for at, done := eventlog.Position(""), false; err == nil && !done; done = at == "" {
		var list []*loci.Event
		list, at, err = log.Walk(ctx, org, eventlog.Oldest, at, gate.MaxPage)
		for i := 0; i < len(list) && err == nil; i++ {
			err = jsonlines.Write(w, list[i])
		}
		progress.Done += int64(len(list))
		loci.ReportProgress(ctx, progress)
	}
	return err
}

func (s *Service) keepsNone() bool { return s.o.Logs == Logs(none{}) }

// of returns the log of an org, which knows what became of its sessions.
func (s *Service) of(ctx context.Context, org loci.OrgID) (eventlog.Engine, error) {
	log, err := s.o.Logs.Of(ctx, org)
	if err == nil {
		err = s.follow(ctx, org, log)
	}
	return log, err
}

// warn logs what does not concern the caller.
func (s *Service) warn(ctx context.Context, text string, org loci.OrgID, err error) {
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, text, slog.String("org", string(org)), slog.Any("error", err))
	}
}
