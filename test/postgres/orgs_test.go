//go:build postgres

package postgres

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

type orgs struct {
	sqlstore.Orgs
	s *engine
}

func (s *engine) Orgs() store.Orgs { return orgs{s.registry.Orgs(), s} }

// Export writes the rows as JSON, one of them on each line.
func (o orgs) Export(ctx context.Context, id loci.OrgID, dir string, events func(io.Writer) error) error {
	org, err := o.s.registry.Exists(ctx, id)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return errors.Join(err, loci.Errorf(loci.Conflict, "cannot export to %s: the directory is not empty", dir))
	}
	return inOrder(
		func() error { return write(dir, "rows.jsonl", func(w io.Writer) error { return o.rows(ctx, id, w) }) },
		func() error { return write(dir, "events.jsonl", events) },
		func() error {
			return write(dir, "manifest.json", func(w io.Writer) error { return json.NewEncoder(w).Encode(org) })
		})
}

// rows writes those of all tables, as of one snapshot.
func (o orgs) rows(ctx context.Context, id loci.OrgID, w io.Writer) error {
	return o.s.View(ctx, id, func(tx store.Tx) error {
		c, out := under(tx.(*sqlstore.Tx).Conn()), json.NewEncoder(w)
		for _, table := range rowsOfOrgs {
			rows, err := c.tx.Query(ctx, "SELECT row_to_json(t) FROM "+table+" t WHERE org_id = $1", string(id))
			if err != nil {
				return err
			}
			var row json.RawMessage
			_, err = pgx.ForEachRow(rows, []any{&row}, func() error { return out.Encode(map[string]any{table: row}) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func write(dir, name string, fn func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	return errors.Join(fn(f), f.Close())
}

// Ensure makes a new org and its owner, all in one transaction.
func (o orgs) Ensure(ctx context.Context, want loci.Org, owner loci.User) (got loci.Org, created bool, err error) {
	if err := want.ID.Validate(); err != nil {
		return got, false, err
	}
	if !owner.ID.IsZero() && owner.ID != want.OwnerID {
		return got, false, loci.Errorf(loci.Invalid, "the org has another owner")
	}
	if want.CreatedAt.IsZero() {
		want.CreatedAt = o.s.now()
	}
	err = registryDB{o.s}.Update(ctx, func(c sqlstore.Conn) error {
		r := o.s.in(c)
		var state string
		got, state, err = r.LookUp(ctx, want.ID)
		if err == nil && (state == "deleting" || state == "deleted") {
			err = loci.Errorf(loci.Conflict, "org %s was deleted; use another id", want.ID)
		}
		if loci.CodeOf(err) != loci.NotFound {
			return err
		}
		if want.OwnerID.IsZero() {
			return loci.Errorf(loci.Invalid, "a new org must have an owner")
		}
		if err := found(ctx, under(c).tx, &want, &owner); err != nil {
			return translate(err, "")
		}
		created = true
		got, _, err = r.LookUp(ctx, want.ID)
		return err
	})
	if errors.Is(err, errUnique) {
		err = sqlstore.ErrTaken()
	}
	if err != nil {
		return loci.Org{}, false, err
	}
	return got, created, nil
}

// found writes the rows of a new org.
func found(ctx context.Context, tx querier, want *loci.Org, owner *loci.User) error {
	var key [16]byte
	_, _ = rand.Read(key[:]) // never fails
	at, email := loci.CutTime(want.CreatedAt).UnixMicro(), sqlstore.TextOrNull(owner.Email)
	person := "INSERT INTO people (user_id, org_id, email) VALUES ($1, $2, $3)"
	if owner.Email == "" {
		person += " ON CONFLICT (user_id) DO NOTHING"
	}
	for _, statement := range []struct {
		text string
		args []any
	}{
		{"SELECT set_config('loci.org', $1, TRUE)", []any{string(want.ID)}},
		{"INSERT INTO orgs (id, name, owner_id, state, deletion, workspaces, created_at) " +
			"VALUES ($1, $2, $3, 'active', $4, $5, $6)",
			[]any{string(want.ID), want.Name, [16]byte(want.OwnerID), string(want.Deletion), want.Workspaces, at}},
		{person, []any{[16]byte(want.OwnerID), string(want.ID), email}},
		{"INSERT INTO org (org_id, position_key) VALUES ($1, $2)", []any{string(want.ID), key}},
		{`INSERT INTO users (org_id, id, email, name, role, org_role, state, created_at)
			VALUES ($1, $2, $3, $4, 'user', 'owner', 'active', $5)`,
			[]any{string(want.ID), [16]byte(want.OwnerID), email, owner.Name, at}},
	} {
		if _, err := tx.Exec(ctx, statement.text, statement.args...); err != nil {
			return err
		}
	}
	return nil
}

// rowsOfOrgs are the tables with the rows of orgs. Those that cascade need no name.
var rowsOfOrgs = []string{"feed", "audit", "idempotency", "suggestions", "golden_questions", "golden_runs",
	"candidates", "reflections", "dreams", "dream_progress", "tasks", "session_changes", "sessions", "agents",
	"memory_nodes", "memories", "blobs", "text_changes", "changes", "entities", "workspaces", "team_invites",
	"users", "teams", "org"}

// registryOfOrgs are those of the registry.
var registryOfOrgs = []string{"projects", "credentials", "oauth_grants", "invitations", "arc_bindings", "people"}

// Delete removes an org in one transaction, and returns the same receipt again.
func (o orgs) Delete(ctx context.Context, id loci.OrgID) (r store.Receipt, err error) {
	err = again(ctx, func() error { return o.delete(ctx, id, &r) })
	return r, err
}

func (o orgs) delete(ctx context.Context, id loci.OrgID, r *store.Receipt) error {
	return pgx.BeginTxFunc(ctx, o.s.pool, writing, func(tx pgx.Tx) error {
		if err := setOrg(ctx, tx, id); err != nil {
			return err
		}
		// Writers of the org take the same rows in this order.
		if _, err := tx.Exec(ctx, "SELECT 1 FROM org WHERE org_id = $1 FOR UPDATE", string(id)); err != nil {
			return err
		}
		var state, receipt string
		err := tx.QueryRow(ctx, "SELECT state, coalesce(receipt, '{}') FROM orgs WHERE id = $1 FOR UPDATE", string(id)).
			Scan(&state, &receipt)
		if errors.Is(err, pgx.ErrNoRows) {
			return sqlstore.NoOrg()
		}
		if err == nil {
			err = json.Unmarshal([]byte(receipt), r)
		}
		if err != nil || state == "deleted" {
			return err
		}
		return o.erase(ctx, tx, id, r)
	})
}

func (o orgs) erase(ctx context.Context, tx pgx.Tx, id loci.OrgID, r *store.Receipt) error {
	*r = store.Receipt{OrgID: id, DeletedAt: loci.CutTime(o.s.now())}
	err := tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM memories),
		(SELECT count(*) FROM projects WHERE org_id = $1), (SELECT count(*) FROM credentials WHERE org_id = $1)`, string(id)).
		Scan(&r.Users, &r.Memories, &r.Projects, &r.Credentials)
	if err != nil {
		return err
	}
	for _, table := range rowsOfOrgs {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE org_id = $1", string(id)); err != nil {
			return err
		}
	}
	for _, table := range registryOfOrgs {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE org_id = $1", string(id)); err != nil {
			return err
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE orgs SET name = '', state = 'deleted', receipt = $2 WHERE id = $1", string(id),
		string(text))
	return err
}
