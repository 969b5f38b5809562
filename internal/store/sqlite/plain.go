package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// Plain is the baseline for benchmarks: one bare connection of the driver to its own file, with
// the schema of an org and synchronous=FULL, which stores each memory in its own transaction. It
// has no queue, no locks between processes and no savepoints. Only benchmarks use it.
type Plain struct {
	conn                *sqlite3.Conn
	user                loci.UserID
	memory, text, entry *sqlite3.Stmt
	get, list, count    *sqlite3.Stmt // with postings only; then there is no text
}

// bare reduces the schema to what any program would have: the rows, their ids, an index for
// newest first, and a full-text index.
const bare = "CREATE VIRTUAL TABLE texts USING fts5 (title, content, summary, key, category, tags, content = '', " +
	"tokenize = 'loci'); DROP TABLE memory_postings; DROP INDEX memories_by_text; " +
	"DROP INDEX memories_by_superseder; CREATE INDEX memories_newest ON memories (user_id, created_at)"

// OpenPlain creates the file at path, which must not exist, with one user, the owner of what
// Insert stores. Without postings it has only rows, ids, times and full text, to compare sizes.
func OpenPlain(path string, user loci.UserID, postings bool) (p *Plain, err error) {
	conn, err := openBare(path, setUpOrg, "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384")
	if err != nil {
		return nil, err
	}
	p = &Plain{conn: conn, user: user}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	for _, m := range migrations("org") {
		if err := conn.Exec(m.SQL); err != nil {
			return nil, err
		}
	}
	if !postings {
		if err := conn.Exec(bare); err != nil {
			return nil, err
		}
	}
	if err := p.bindExec("INSERT INTO users (id, role, created_at) VALUES (?, 'user', 0)", [16]byte(user)); err != nil {
		return nil, err
	}
	return p, p.prepare(postings)
}

func openBare(path string, setUp func(*sqlite3.Conn) error, pragmas string) (*sqlite3.Conn, error) {
	conn, err := sqlite3.Open("file:" + path + "?_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err = setUp(conn); err == nil {
		err = conn.Exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; " + pragmas)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func inOne(conn *sqlite3.Conn, fn func() error) error {
	if err := conn.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := fn(); err != nil {
		return errors.Join(err, conn.Exec("ROLLBACK"))
	}
	return conn.Exec("COMMIT")
}

func closeBare(conn *sqlite3.Conn, statements ...*sqlite3.Stmt) (err error) {
	for _, st := range statements {
		if st != nil {
			err = errors.Join(err, st.Close())
		}
	}
	return errors.Join(err, conn.Close())
}

func (p *Plain) prepare(postings bool) (err error) {
	for _, s := range []struct {
		into **sqlite3.Stmt
		sql  string
	}{
		{&p.memory, "INSERT INTO memories (id, digest, " + sqlstore.Columns("") + ") VALUES (?, ?" +
			strings.Repeat(", ?", len(sqlstore.BindState(&loci.Memory{}))) + ")"},
		{&p.text, "INSERT INTO texts (rowid, title, content, summary, key, category, tags) VALUES (?, ?, ?, ?, ?, ?, ?)"},
		{&p.entry, insertPosting},
		{&p.get, "SELECT " + plainColumns + " FROM memories m WHERE m.id = ?"},
		{&p.list, "SELECT " + plainColumns + " FROM memory_postings p CROSS JOIN memories m ON m.seq = p.seq " +
			"WHERE p.pool = ? AND p.vendor = ? AND p.token = ? ORDER BY p.at DESC, p.seq DESC LIMIT ?"},
		{&p.count, "SELECT count(*) FROM (SELECT 1 FROM memory_postings " +
			"WHERE pool = ? AND vendor = ? AND token = ? LIMIT ?)"},
	} {
		if s.into != &p.memory && postings == (s.into == &p.text) {
			continue
		}
		if *s.into, _, err = p.conn.PrepareFlags(s.sql, sqlite3.PREPARE_PERSISTENT); err != nil {
			return err
		}
	}
	return nil
}

// Insert stores a memory durably in its own transaction.
func (p *Plain) Insert(m *loci.Memory) error {
	return inOne(p.conn, func() error { return p.insert(m) })
}

// plainColumns are the columns of a memory that its readers get.
var plainColumns = "m.id, " + sqlstore.Columns("m.")

// User is the owner of what Insert stores.
func (p *Plain) User() loci.UserID { return p.user }

// Get reads one memory.
func (p *Plain) Get(id loci.MemoryID) error { return p.read(1, p.get, [16]byte(id)) }

// List reads the newest memories, of a tag or of all, up to limit. Like a server's list by tag, it
// also counts those of a tag.
func (p *Plain) List(tag string, limit int) error {
	pool, token := newPool(userPool, p.user), tokenLive
	if tag != "" {
		token = tokenTag + tag
		if err := p.read(1, p.count, pool[:], vendorAny, token, store.MaxTotal); err != nil {
			return err
		}
	}
	return p.read(limit, p.list, pool[:], vendorAny, token, limit)
}

// read runs a statement that must have that many rows, and reads their values.
func (p *Plain) read(rows int, st *sqlite3.Stmt, args ...any) error {
	if err := bindAll(st, args); err != nil {
		return err
	}
	n, values := 0, make([]any, st.ColumnCount())
	for ; st.Step(); n++ {
		if err := st.Columns(values...); err != nil {
			return err
		}
	}
	if err := st.Reset(); err != nil {
		return err
	}
	if n != rows {
		return fmt.Errorf("there are %d rows, want %d", n, rows)
	}
	return nil
}

// InsertAll stores memories in one transaction.
func (p *Plain) InsertAll(memories []*loci.Memory) error {
	return inOne(p.conn, func() error {
		for _, m := range memories {
			if err := p.insert(m); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *Plain) insert(m *loci.Memory) error {
	values := append([]any{[16]byte(m.ID), sqlstore.TextDigest(m.Title, m.Content)}, sqlstore.BindState(m)...)
	if err := run(p.memory, values...); err != nil {
		return err
	}
	seq := p.conn.LastInsertRowID()
	if p.text != nil {
		return run(p.text, seq, m.Title, m.Content, m.Summary, m.Key, m.Category, sqlstore.TagText(m.Tags))
	}
	for _, e := range postingsOf(m) {
		if err := run(p.entry, e.pool[:], e.vendor, e.token, e.at, seq, nil, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plain) bindExec(sql string, args ...any) error {
	st, _, err := p.conn.Prepare(sql)
	if err != nil {
		return err
	}
	return errors.Join(run(st, args...), st.Close())
}

func run(st *sqlite3.Stmt, args ...any) error {
	if err := bindAll(st, args); err != nil {
		return err
	}
	return st.Exec()
}

func bindAll(st *sqlite3.Stmt, args []any) (err error) {
	for i := 0; i < len(args) && err == nil; i++ {
		err = bindPlain(st, i+1, args[i])
	}
	return err
}

func bindPlain(st *sqlite3.Stmt, i int, arg any) error {
	switch v := arg.(type) {
	case nil:
		return st.BindNull(i)
	case int:
		return st.BindInt(i, v)
	case int64:
		return st.BindInt64(i, v)
	case bool:
		return st.BindBool(i, v)
	case string:
		return st.BindText(i, v)
	case []byte:
		return st.BindBlob(i, v)
	case [16]byte:
		return st.BindBlob(i, v[:])
	}
	return fmt.Errorf("no binding for %T", arg)
}

// Close moves the write-ahead log into the file and closes it.
func (p *Plain) Close() error {
	_, _, err := p.conn.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE)
	return errors.Join(err, closeBare(p.conn, p.memory, p.text, p.entry, p.get, p.list, p.count))
}

// graphOfS3 is the schema of seed S3 without Loci's additions: only rows, full text and indexes.
const graphOfS3 = `
CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT NOT NULL, entity_type TEXT NOT NULL, created_at TEXT NOT NULL,
updated_at TEXT NOT NULL, deleted_at TEXT NULL);
CREATE TABLE observations (id TEXT PRIMARY KEY, entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
content TEXT NOT NULL, created_at TEXT NOT NULL, deleted_at TEXT NULL);
CREATE VIRTUAL TABLE entities_fts USING fts5(name, entity_type, content='entities', content_rowid='rowid');
CREATE VIRTUAL TABLE observations_fts USING fts5(content, content='observations', content_rowid='rowid');
CREATE TRIGGER entities_ai AFTER INSERT ON entities BEGIN
	INSERT INTO entities_fts (rowid, name, entity_type) VALUES (new.rowid, new.name, new.entity_type);
END;
CREATE TRIGGER observations_ai AFTER INSERT ON observations BEGIN
	INSERT INTO observations_fts (rowid, content) VALUES (new.rowid, new.content);
END;
CREATE INDEX idx_entities_active ON entities (name, entity_type) WHERE deleted_at IS NULL;
CREATE INDEX idx_entities_type ON entities (entity_type) WHERE deleted_at IS NULL;
CREATE INDEX idx_observations_entity ON observations (entity_id) WHERE deleted_at IS NULL;
`

// PlainGraph is Plain for a graph: one bare connection of the driver to a file with the tables of
// seed S3 and synchronous=FULL. Only benchmarks use it.
type PlainGraph struct {
	conn                *sqlite3.Conn
	entity, observation *sqlite3.Stmt
}

// OpenPlainGraph creates the file at path, which must not exist.
func OpenPlainGraph(path string) (p *PlainGraph, err error) {
	conn, err := openBare(path, fts5.Register, "PRAGMA cache_size = -64000;"+graphOfS3)
	if err != nil {
		return nil, err
	}
	p = &PlainGraph{conn: conn}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if p.entity, _, err = conn.PrepareFlags("INSERT INTO entities (id, name, entity_type, created_at, updated_at) "+
		"VALUES (?, ?, ?, ?, ?)", sqlite3.PREPARE_PERSISTENT); err != nil {
		return nil, err
	}
	p.observation, _, err = conn.PrepareFlags(
		"INSERT INTO observations (id, entity_id, content, created_at) VALUES (?, ?, ?, ?)", sqlite3.PREPARE_PERSISTENT)
	return p, err
}

// Insert stores entities with their observations durably in one transaction.
func (p *PlainGraph) Insert(items []loci.NewEntity) error {
	now := sqlstore.ISO(time.Now())
	return inOne(p.conn, func() error {
		for _, item := range items {
			if err := p.insert(item, now); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *PlainGraph) insert(item loci.NewEntity, now string) error {
	id := loci.NewEntityID().String()
	if err := run(p.entity, id, item.Name, item.Type, now, now); err != nil {
		return err
	}
	for _, text := range item.Observations {
		if err := run(p.observation, loci.NewObservationID().String(), id, text, now); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the file.
func (p *PlainGraph) Close() error { return closeBare(p.conn, p.entity, p.observation) }
