package sqlite

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
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

// gatherBatch is how many entries are moved at a time.
const gatherBatch = 500

// Record implements store.GraphTx. The audit trail is in the org's file, and a commit covers only
// one file. Another commit would cost as much as the change of the graph. So the entry is stored
// beside the change until GatherAudit moves it.
func (tx *graphTx) Record(_ context.Context, e loci.AuditEntry) error {
	return tx.c.Exec("INSERT INTO audit (at, action, kind, method, user_id, vendor, credential_id, count) VALUES (?, "+
		"?, ?, ?, ?, ?, ?, ?)",
		e.At.UnixMicro(), e.Action, string(e.Kind), string(e.Method), sqlstore.OrNull(e.UserID), string(e.Vendor),
		sqlstore.OrNull(e.CredentialID), e.Count)
}

// waiting is an entry and its number in the project's file.
type waiting struct {
	loci.AuditEntry
	number int64
}

// GatherAudit implements store.Projects.
func (ps projectRegistry) GatherAudit(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	for {
		entries, err := ps.s.waiting(ctx, org, id)
		if err != nil || len(entries) == 0 {
			return err
		}
		if err := ps.s.gather(ctx, org, id, entries); err != nil {
			return err
		}
		last := entries[len(entries)-1].number
		err = ps.s.updateProject(ctx, org, id, func(tx store.GraphTx, _ *loci.Project) error {
			return tx.(*graphTx).c.Exec("DELETE FROM audit WHERE number <= ?", last) //nolint:forcetypeassert // ours
		})
		if err != nil {
			return err
		}
	}
}

// waiting returns the oldest entries in a project's file.
func (s *Store) waiting(ctx context.Context, org loci.OrgID, id loci.ProjectID) (list []waiting, err error) {
	err = s.ViewProject(ctx, org, id, func(tx store.GraphTx) error {
		const text = "SELECT number, at, action, kind, method, user_id, vendor, credential_id, count FROM audit ORDER BY " +
			"number LIMIT ?"
		c := tx.(*graphTx).c //nolint:forcetypeassert // a transaction of this engine
		return c.Query(text, sqlitedb.Args{gatherBatch}, func(r *sqlitedb.Row) error {
			list = append(list, waiting{number: r.Int64(0),
				AuditEntry: loci.AuditEntry{At: sqlstore.TimeAt(r, 1), Action: r.Text(2), Allowed: true,
					Kind: loci.Kind(r.Text(3)), Method: loci.Method(r.Text(4)), UserID: r.ID(5), Vendor: loci.Vendor(r.Text(6)),
					CredentialID: r.ID(7), Target: id.String(), Count: r.Int(8)}})
			return nil
		})
	})
	return list, err
}

// gather adds the entries that the trail does not have yet. Another process may have added some
// and been killed before it deleted them here.
func (s *Store) gather(ctx context.Context, org loci.OrgID, id loci.ProjectID, entries []waiting) error {
	return s.with(ctx, org, func(f *orgFile) error {
		return f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
			return s.run(f, c, func(tx store.Tx) error {
				last := int64(0)
				_, err := c.One("SELECT number FROM audit_of_projects WHERE project_id = ?", sqlitedb.Args{[16]byte(id)},
					func(r *sqlitedb.Row) error { last = r.Int64(0); return nil })
				for _, e := range entries {
					if err == nil && e.number > last {
						err, last = tx.Audit().Add(ctx, e.AuditEntry), e.number
					}
				}
				if err != nil {
					return err
				}
				return c.Exec("INSERT OR REPLACE INTO audit_of_projects (project_id, number) VALUES (?, ?)", [16]byte(id), last)
			})
		})
	})
}

// leave archives or deletes a project after it has moved the project's entries to the trail. An
// archived project has no entries. If the project does not exist, the change reports it.
func (ps projectRegistry) leave(ctx context.Context, org loci.OrgID, id loci.ProjectID, intent string) error {
	err := ps.GatherAudit(ctx, org, id)
	if code := loci.CodeOf(err); err != nil && code != loci.Conflict && code != loci.NotFound {
		return err
	}
	return ps.change(ctx, org, id, intent)
}
