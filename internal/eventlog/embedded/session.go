package embedded

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// SetSession implements eventlog.Keeper. It creates the log, because a session that is closed before
// its first event must refuse that, too.
func (l *Log) SetSession(ctx context.Context, org loci.OrgID, s eventlog.Session) error {
	return l.write(ctx, org, func(f *orgLog) error {
		return f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return setSession(c, &s) })
	})
}

func setSession(c *sqlitedb.Conn, s *eventlog.Session) error {
	if _, err := newState(c); err != nil {
		return err
	}
	known, err := knownSession(c, s.ID)
	if err != nil || known != nil && known.Revision >= s.Revision {
		return err
	}
	access, err := encodeAccess(s.Access)
	if err != nil {
		return err
	}
	err = c.Exec(`INSERT INTO sessions (id, revision, closed, access) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, closed = excluded.closed, access = excluded.access`,
		[16]byte(s.ID), s.Revision, s.Closed, access)
	if err != nil {
		return err
	}
	return reclassify(c, s)
}

// reclassify gives the streams of a session the classes that follow from the session's access.
func reclassify(c *sqlitedb.Conn, s *eventlog.Session) error {
	type stream struct {
		n, own, class int64
		access        string
	}
	var streams []stream
	err := c.Query(`SELECT s.n, s.own, s.class, c.access FROM streams s JOIN classes c ON c.n = s.own
		WHERE s.session = ?`, sqlitedb.Args{[16]byte(s.ID)}, func(r *sqlitedb.Row) error {
		streams = append(streams, stream{r.Int64(0), r.Int64(1), r.Int64(2), r.Text(3)})
		return nil
	})
	if err != nil {
		return err
	}
	changed := false
	for _, st := range streams {
		class, err := effectiveClass(c, st.own, st.access, s)
		if err != nil {
			return err
		}
		if class == st.class {
			continue
		}
		changed = true
		if err := c.Exec("UPDATE streams SET class = ? WHERE n = ?", class, st.n); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	if err := c.Exec("UPDATE state SET access = access + 1"); err != nil {
		return err
	}
	return c.Exec("INSERT INTO changes (session) VALUES (?)", [16]byte(s.ID))
}
