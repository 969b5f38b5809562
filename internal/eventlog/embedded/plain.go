package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci"
)

// Plain writes events with SQLite alone, as a yardstick: the same columns and the same durability, prepared statements,
// one connection and no index. It is not safe for concurrent use.
type Plain struct {
	conn                  *sqlite3.Conn
	begin, insert, commit *sqlite3.Stmt
}

const plainTable = `CREATE TABLE events (seq INTEGER PRIMARY KEY, id BLOB, time INTEGER, recorded_at INTEGER,
	session_id BLOB, agent_id BLOB, actor TEXT, class TEXT, type TEXT, content TEXT, metadata TEXT, tags TEXT,
	importance INTEGER, parent_id BLOB, dedup_key TEXT, user_id BLOB, workspace_id BLOB, project_id BLOB, reach TEXT,
	team_id BLOB, origin TEXT, allowed_vendors TEXT) STRICT`

// OpenPlain creates the file at path, which must not exist.
func OpenPlain(path string) (p *Plain, err error) {
	p = &Plain{}
	if p.conn, err = sqlite3.Open(path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err = p.conn.Exec("PRAGMA journal_mode = wal; PRAGMA synchronous = full;" + plainTable); err == nil {
		err = p.prepare()
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Plain) prepare() (err error) {
	for text, stmt := range map[string]**sqlite3.Stmt{"BEGIN IMMEDIATE": &p.begin, "COMMIT": &p.commit,
		"INSERT INTO events VALUES (NULL" + strings.Repeat(", ?", 21) + ")": &p.insert} {
		if *stmt, _, err = p.conn.Prepare(text); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the file.
func (p *Plain) Close() error {
	return errors.Join(p.begin.Close(), p.insert.Close(), p.commit.Close(), p.conn.Close()) // a nil Stmt can be closed
}

// Insert stores events in one transaction.
func (p *Plain) Insert(events []*loci.Event) error {
	if err := p.begin.Exec(); err != nil {
		return err
	}
	for _, e := range events {
		if err := p.bind(e); err != nil {
			return err
		}
		if err := p.insert.Exec(); err != nil {
			return err
		}
	}
	return p.commit.Exec()
}

func (p *Plain) bind(e *loci.Event) error {
	tags, err := json.Marshal(e.Tags)
	if err != nil {
		return err
	}
	vendors, err := json.Marshal(e.AllowedVendors)
	if err != nil {
		return err
	}
	s := p.insert
	for i, err := range []error{s.BindBlob(1, e.ID[:]), s.BindInt64(2, e.Time.UnixMicro()),
		s.BindInt64(3, e.RecordedAt.UnixMicro()), s.BindBlob(4, e.SessionID[:]), s.BindBlob(5, e.AgentID[:]),
		s.BindText(6, e.Actor), s.BindText(7, string(e.Class)), s.BindText(8, e.Type), s.BindText(9, e.Content),
		s.BindText(10, string(e.Metadata)), s.BindText(11, string(tags)), s.BindInt64(12, int64(e.Importance)),
		s.BindNull(13), s.BindNull(14), s.BindBlob(15, e.UserID[:]), s.BindNull(16), s.BindNull(17),
		s.BindText(18, string(e.Reach)), s.BindNull(19), s.BindText(20, e.Origin), s.BindText(21, string(vendors))} {
		if err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}
