package sqlite

import (
	"errors"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

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
