package embedded

import (
	"slices"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// work is what the events of a stream have in common, as it is now.
type work struct {
	session loci.SessionID
	agent   loci.AgentID
	class   int64
	access  loci.EventAccess
}

// maxWorks limits how many streams an open log remembers.
const maxWorks = 10_000

// works remembers streams, for all readers of a log. What it remembers holds for every snapshot with
// the same access number, because only that number's change lets a stream change.
type works struct {
	mu      sync.Mutex
	access  int64
	streams map[int64]*work
}

func (ws *works) get(access, n int64) *work {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.access != access {
		return nil
	}
	return ws.streams[n]
}

func (ws *works) put(access, n int64, w *work) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.access > access {
		return // w is of an old snapshot
	}
	if ws.access < access || len(ws.streams) >= maxWorks || ws.streams == nil {
		ws.access, ws.streams = access, map[int64]*work{}
	}
	ws.streams[n] = w
}

const selectWork = `SELECT s.session, s.agent, s.origin, s.class, c.access FROM streams s
	JOIN classes c ON c.n = s.class WHERE s.n = ?`

func loadWork(c *sqlitedb.Conn, org loci.OrgID, n int64) (*work, error) {
	w := &work{}
	_, err := c.One(selectWork, sqlitedb.Args{n}, func(r *sqlitedb.Row) (err error) {
		w.session, w.agent, w.class = r.ID(0), r.ID(1), r.Int64(3)
		w.access, err = decodeAccess(org, r.Raw(4))
		w.access.Origin = r.Text(2)
		return err
	})
	return w, err
}

// set gives an event what the stream says about it.
func (w *work) set(e *loci.Event) {
	e.SessionID, e.AgentID, e.EventAccess = w.session, w.agent, w.access
	e.AllowedVendors = slices.Clone(w.access.AllowedVendors)
}
