//go:build postgres

package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// graphTx is a transaction on the graph of one project.
type graphTx struct {
	*sqlstore.GraphTx
	c *conn
}

// ViewProject implements store.Store.
func (s *engine) ViewProject(ctx context.Context, org loci.OrgID, id loci.ProjectID,
	fn func(store.GraphTx) error) error {
	return s.withProject(ctx, org, id, reading, fn)
}

// UpdateProject implements store.Store. Writers of a graph lock the row of their project.
func (s *engine) UpdateProject(ctx context.Context, org loci.OrgID, id loci.ProjectID,
	fn func(store.GraphTx) error) error {
	var of loci.Project
	err := s.withProject(ctx, org, id, writing, func(tx store.GraphTx) error {
		of = tx.Project()
		return fn(tx)
	})
	if err == nil {
		s.Hint(ctx, sqlstore.GraphHint(&of))
	}
	return err
}

func (s *engine) withProject(ctx context.Context, org loci.OrgID, id loci.ProjectID, o pgx.TxOptions,
	fn func(store.GraphTx) error) error {
	if err := org.Validate(); err != nil {
		return err
	}
	return public(pgx.BeginTxFunc(ctx, s.pool, o, func(tx pgx.Tx) error {
		c := &conn{ctx: ctx, tx: tx, org: string(org), project: id}
		if err := setOrg(ctx, tx, org); err != nil {
			return err
		}
		if o == writing {
			if _, err := lockProject(c, org, id); err != nil {
				return err
			}
		}
		p, err := s.in(c).LookUpProject(ctx, org, id)
		if err == nil {
			_, err = s.in(c).Exists(ctx, org)
		}
		if err == nil {
			err = p.Usable()
		}
		if err != nil {
			return err
		}
		return fn(&graphTx{sqlstore.NewGraph(c, dialect, sqlstore.GraphOptions{Project: p.Project, Now: s.now}), c})
	}))
}

// lockProject lets no other writer at a project's graph until the transaction ends.
func lockProject(c sqlstore.Conn, org loci.OrgID, id loci.ProjectID) (found bool, err error) {
	return c.One("SELECT 1 FROM projects WHERE {global projects} id = ? AND org_id = ? {lock}",
		sqlstore.Args{id.String(), string(org)}, func(sqlstore.Row) error { return nil })
}

// Record writes to the audit trail of the org, which is in the same database.
func (tx *graphTx) Record(_ context.Context, e loci.AuditEntry) error {
	return tx.c.Exec("INSERT INTO audit ({org} at, action, allowed, kind, method, user_id, vendor, credential_id, "+
		"target, count) VALUES ({?} ?, ?, TRUE, ?, ?, ?, ?, ?, ?, ?)", e.At.UnixMicro(), e.Action, string(e.Kind),
		string(e.Method), sqlstore.OrNull(e.UserID), string(e.Vendor), sqlstore.OrNull(e.CredentialID),
		tx.Project().ID.String(), e.Count)
}

// hashed are the tables with a hash, and the columns that it covers.
var hashed = []struct{ table, alias, of string }{
	{"entities", "e", "e.name, NULL, NULL"},
	{"observations", "o", "o.entity_id, o.content, NULL"},
	{"relations", "r", "r.from_entity, r.to_entity, r.relation_type"},
}

// wrongHashes returns the rows of a table with a wrong hash, and what it has to be.
func (tx *graphTx) wrongHashes(table, alias, of string) (wrong map[int64]int64, err error) {
	wrong = map[int64]int64{}
	err = tx.c.Query("SELECT "+alias+".seq, "+alias+".hash, "+of+" FROM "+table+" "+alias+" WHERE {graph "+alias+
		"} TRUE", nil, func(r sqlstore.Row) error {
		hash := sqlstore.NameHash(r.Text(2))
		switch {
		case !r.Null(4):
			hash = sqlstore.GraphHash(r.Text(2), r.Text(3), r.Text(4))
		case !r.Null(3):
			hash = sqlstore.GraphHash(r.Text(2), r.Text(3))
		}
		if r.Null(1) || hash != r.Int64(1) {
			wrong[r.Int64(0)] = hash
		}
		return nil
	})
	return wrong, err
}

func (tx *graphTx) Rebuild(context.Context) error {
	for _, h := range hashed {
		wrong, err := tx.wrongHashes(h.table, h.alias, h.of)
		for seq, hash := range wrong {
			err = errors.Join(err, tx.c.Exec("UPDATE "+h.table+" SET hash = ? WHERE {graph "+h.table+"} seq = ?", hash, seq))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (tx *graphTx) Check(context.Context) (problems []string, err error) {
	for _, h := range hashed {
		wrong, err := tx.wrongHashes(h.table, h.alias, h.of)
		if err != nil {
			return nil, err
		}
		if len(wrong) > 0 {
			problems = append(problems, "the hashes of the "+h.table+" differ from the rows: rebuild them")
		}
	}
	return problems, nil
}
