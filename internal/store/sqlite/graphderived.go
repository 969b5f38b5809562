package sqlite

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// graphTx is a transaction on one project's file.
type graphTx struct {
	*sqlstore.GraphTx
	c *sqlitedb.Conn
}

func (s *Store) graphTx(p loci.Project, c *sqlitedb.Conn) *graphTx {
	return &graphTx{sqlstore.NewGraph(sharedConn(c), dialect, sqlstore.GraphOptions{Project: p, Now: s.opts.Now}), c}
}

// hashed are the tables with a hash and the columns that it covers.
var hashed = []struct{ table, of string }{
	{"entities", "name, NULL, NULL"},
	{"observations", "entity_id, content, NULL"},
	{"relations", "from_entity, to_entity, relation_type"},
}

// hashEntities fills in the hashes of the entities that are there.
func hashEntities(c *sqlitedb.Conn) error { return fixHashes(c, hashed[0].table, hashed[0].of) }

func fixHashes(c *sqlitedb.Conn, table, of string) error {
	return wrongHashes(c, table, of, func(seq, hash int64) error {
		return c.Exec("UPDATE "+table+" SET hash = ? WHERE seq = ?", hash, seq)
	})
}

// Rebuild rebuilds the full-text tables and the hashes.
func (tx *graphTx) Rebuild(ctx context.Context) error {
	for _, table := range []string{"entities_fts", "observations_fts"} {
		loci.ReportProgress(ctx, loci.Progress{Stage: "rebuilding the index " + table})
		if err := tx.c.Exec("INSERT INTO " + table + " (" + table + ") VALUES ('rebuild')"); err != nil {
			return err
		}
	}
	for _, h := range hashed {
		if err := fixHashes(tx.c, h.table, h.of); err != nil {
			return err
		}
	}
	return nil
}

// wrongHashes calls fn for each row with a wrong hash. fn may change the row, because the walk goes by row number.
func wrongHashes(c *sqlitedb.Conn, table, of string, fn func(seq, hash int64) error) error {
	return c.Query("SELECT seq, hash, "+of+" FROM "+table+" NOT INDEXED ORDER BY seq", nil,
		func(r *sqlitedb.Row) error {
			hash := sqlstore.NameHash(r.Text(2))
			switch {
			case !r.Null(4):
				hash = sqlstore.GraphHash(r.Text(2), r.Text(3), r.Text(4))
			case !r.Null(3):
				hash = sqlstore.GraphHash(r.Text(2), r.Text(3))
			}
			if r.Null(1) || hash != r.Int64(1) {
				return fn(r.Int64(0), hash)
			}
			return nil
		})
}

// Check compares the full-text tables and the hashes with the rows.
func (tx *graphTx) Check(ctx context.Context) (problems []string, err error) {
	for _, table := range []string{"entities_fts", "observations_fts"} {
		loci.ReportProgress(ctx, loci.Progress{Stage: "checking the index " + table})
		err := tx.c.Exec("INSERT INTO " + table + " (" + table + ", rank) VALUES ('integrity-check', 1)")
		if errors.Is(err, sqlitedb.ErrCorrupt) {
			problems = append(problems, "the full-text index "+table+" differs from the rows: rebuild it")
		} else if err != nil {
			return problems, err
		}
	}
	for _, h := range hashed {
		wrong := false
		err := wrongHashes(tx.c, h.table, h.of, func(int64, int64) error { wrong = true; return sqlitedb.ErrStop })
		if err != nil {
			return problems, err
		}
		if wrong {
			problems = append(problems, "the hashes of the "+h.table+" differ from the rows: rebuild them")
		}
	}
	return problems, nil
}
