// Package event holds the operations on events: to log them, to read them and to search in them.
//
// Events are in a log of their own, one for each org. A session and its agents are in the org's store. So a write
// first looks up who may write where, and then appends; the log itself refuses events of a session that has been
// closed meanwhile.
package event

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

// Actions on events.
const (
	Log  gate.Action = "event.log"
	Read gate.Action = "event.read"
)

// Actions defines who may take each of these actions.
var Actions = gate.Actions{
	Log:  {Kinds: gate.Everyone, Rights: gate.Write, Metered: true},
	Read: {Kinds: gate.Everyone, Rights: gate.Read, Metered: true},
}

// Logs returns the log that has the events of an org. It is asked on every call, because an org may move to another
// one. Unavailable if the org has none.
type Logs interface {
	Of(ctx context.Context, org loci.OrgID) (eventlog.Engine, error)
}

// Options configure a Service.
type Options struct {
	Logs  Logs           // required
	Dedup eventlog.Dedup // Window 0: nothing counts as a duplicate
	// Patience is how long a search may take. After that it returns what it has found.
	Patience time.Duration
}

// Service provides the operations on events. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	projects *project.Service
	Options
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service, o Options) *Service {
	return &Service{g, projects, o}
}
