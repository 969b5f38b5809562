//go:build postgres

package postgres

import (
	"context"
	"crypto/md5" // the ids of rows.sql
	_ "embed"
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

//go:embed rows.sql
var manyRows string

// filling is a schema with what manyRows holds.
type filling struct {
	schema string
	start  store.Position // of Rows in the default org, before all rows
}

// filled are the schemas with many rows, by who shares them: tests that only read, and tests that roll back.
var filled = map[string]filling{}

func twoOrgs(t *testing.T, sharing string) (f filling, s *engine) {
	t.Helper()
	if f = filled[sharing]; f.schema != "" {
		return f, open(t, f.schema, time.Now)
	}
	f.schema = newSchema(t)
	s = open(t, f.schema, time.Now)
	for _, id := range []loci.OrgID{loci.DefaultOrg, "other"} {
		want := loci.Org{ID: id, OwnerID: loci.NewUserID()}
		if _, _, err := s.Orgs().Ensure(t.Context(), want, loci.User{}); err != nil {
			t.Fatal(err)
		}
	}
	err := s.View(t.Context(), loci.DefaultOrg, func(tx store.Tx) (err error) {
		f.start, err = tx.Rows().End(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	asSuperuser(t, f.schema, manyRows)
	filled[sharing] = f
	return f, s
}

// column returns the first column of what a query finds, as text.
func column(t *testing.T, tx pgx.Tx, query string, args ...any) []string {
	t.Helper()
	rows, err := tx.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// confined runs fn in a transaction of the store's role that is rolled back.
func confined(t *testing.T, pool *pgxpool.Pool, org string, fn func(pgx.Tx)) {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if org != "" {
		if _, err := tx.Exec(t.Context(), "SELECT set_config('loci.org', $1, TRUE)", org); err != nil {
			t.Fatal(err)
		}
	}
	fn(tx)
}

const (
	unprotected = `SELECT relname::text FROM pg_class
		WHERE relnamespace = current_schema::regnamespace AND relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity
			AND relowner <> current_user::regrole AND EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid))
		ORDER BY relname`
	otherKeys = `SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
			JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
		WHERE c.relnamespace = current_schema::regnamespace AND c.relkind = 'r' AND c.relname <> ALL ($1)
			AND a.attname <> 'org_id'
		UNION ALL SELECT k.conname::text FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
			JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
		WHERE k.connamespace = current_schema::regnamespace AND k.contype = 'f' AND c.relname <> ALL ($1)
			AND a.attname <> 'org_id'`
)

// TestSchema demands that the policy holds for the store's role, and that org_id leads each key.
func TestSchema(t *testing.T) {
	confined(t, connect(t, newSchema(t)), "", func(tx pgx.Tx) {
		if got := column(t, tx, "SELECT rolname FROM pg_roles WHERE rolname = current_user AND NOT rolsuper "+
			"AND NOT rolbypassrls"); !slices.Equal(got, []string{storeRole}) {
			t.Errorf("the policy does not hold for the role: %q", got)
		}
		registry := []string{"arc_bindings", "credentials", "failures", "invitations", "jobs", "limits", "locks",
			"mcp_connections", "mcp_sessions", "oauth_clients", "oauth_codes", "oauth_grants", "oauth_refresh_tokens", "orgs",
			"people", "project_members", "projects", "settings", "state_keys"}
		if got := column(t, tx, unprotected); !slices.Equal(got, registry) {
			t.Errorf("no policy holds for %q, want it so for the registry %q", got, registry)
		}
		if got := column(t, tx, otherKeys, registry); len(got) > 0 {
			t.Errorf("org_id does not lead %q", got)
		}
	})
}

// TestPolicyAlone runs statements without a marker: they reach the rows of the transaction's org and no others.
func TestPolicyAlone(t *testing.T) {
	rows, _ := twoOrgs(t, "roll back")
	pool := connect(t, rows.schema)
	for _, table := range []string{"memories", "memory_versions", "memory_tags", "feed", "users", "org"} {
		for _, org := range []string{"default", "other"} {
			confined(t, pool, org, func(tx pgx.Tx) {
				if got := column(t, tx, "SELECT DISTINCT org_id FROM "+table); !slices.Equal(got, []string{org}) {
					t.Errorf("in org %s, %s shows the rows of %q", org, table, got)
				}
			})
		}
	}
	confined(t, pool, "default", func(tx pgx.Tx) {
		for statement, want := range map[string]int64{
			"DELETE FROM memory_versions":                                         8000,
			"UPDATE memories SET title = 'x'":                                     8000,
			"DELETE FROM memories WHERE org_id = 'other'":                         0,
			"UPDATE users SET org_id = 'default'":                                 21,
			"SELECT 1 FROM users WHERE org_id = 'other'":                          0,
			"SELECT 1 FROM feed WHERE org_id = 'other' UNION SELECT 2 FROM teams": 0,
		} {
			if tag, err := tx.Exec(t.Context(), statement); err != nil || tag.RowsAffected() != want {
				t.Errorf("%s: %d rows, %v; want %d", statement, tag.RowsAffected(), err, want)
			}
		}
	})
	confined(t, pool, "default", func(tx pgx.Tx) {
		_, err := tx.Exec(t.Context(),
			"INSERT INTO teams (org_id, id, name, created_at) VALUES ('other', gen_random_uuid(), 'x', 0)")
		if pg := new(pgconn.PgError); !errors.As(err, &pg) || pg.Code != "42501" {
			t.Errorf("a row of another org is inserted: %v", err)
		}
	})
	confined(t, connect(t, rows.schema), "", func(tx pgx.Tx) { // on a connection that was never in an org
		if tag, err := tx.Exec(t.Context(), "SELECT 1 FROM memories"); err == nil {
			t.Errorf("in no org: %d rows", tag.RowsAffected())
		}
	})
	confined(t, pool, "", func(tx pgx.Tx) { // on one that was
		if tag, err := tx.Exec(t.Context(), "SELECT 1 FROM memories"); err == nil && tag.RowsAffected() != 0 {
			t.Errorf("in no org any more: %d rows", tag.RowsAffected())
		}
	})
}

// TestMarkersAlone runs the shared statements as a superuser, to whom no policy applies. They find the same.
func TestMarkersAlone(t *testing.T) {
	rows, s := twoOrgs(t, "roll back")
	pool, err := pgxpool.New(t.Context(), server+" search_path="+rows.schema)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	free := &engine{pool: pool, registry: s.registry, now: s.now}
	for name, ask := range questions(rows.start) {
		both, bypassed := run(t, s, ask), run(t, free, ask)
		if diff := cmp.Diff(both, bypassed); diff != "" || reflect.ValueOf(both).IsZero() {
			t.Errorf("%s: %v; without the policy (-with +without):\n%s", name, both, diff)
		}
	}
}

type question = func(context.Context, *sqlstore.Tx) (any, error)

// questions are about the rows of manyRows.
func questions(start store.Position) map[string]question {
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: idOf("user", 2), TeamID: idOf("team", 0),
		ProjectIDs: []loci.ProjectID{idOf("project", 1)}}
	list := func(q store.ListQuery) question {
		q.Limit = 500
		return func(ctx context.Context, tx *sqlstore.Tx) (any, error) { return tx.Lists().List(ctx, v, q) }
	}
	others := md5.Sum([]byte("memory21other"))
	ids := []loci.MemoryID{idOf("memory", 22), idOf("memory", 61), others}
	all := map[string]question{
		"list":   list(store.ListQuery{Offset: 20, Total: true}),
		"trash":  list(store.ListQuery{Filter: store.Filter{Lifecycle: loci.TrashOnly}}),
		"tagged": list(store.ListQuery{Filter: store.Filter{Tags: []string{"t1"}}}),
		"then":   list(store.ListQuery{Filter: store.Filter{When: loci.When{KnownAt: time.UnixMicro(4000)}}}),
		"get": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			return tx.Memories().GetMany(ctx, v, ids, loci.AnyState)
		},
		"versions": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			return tx.Memories().Versions(ctx, v, idOf("memory", 61), loci.AnyState, 0, 10)
		},
		"edited": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			return tx.Memories().EditedBy(ctx, v, store.EditQuery{Editor: "a", Limit: 1000})
		},
		"shared": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			return tx.Memories().SharedBy(ctx, v.UserID, v.TeamID, 1000)
		},
		"replaced": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			return tx.Memories().ReplacedBy(ctx, v, idOf("memory", 22), 1000)
		},
		"people": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			return tx.Users().List(ctx, loci.UserID{}, 100)
		},
		"purge": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			return tx.Memories().Purge(ctx, time.UnixMicro(900), 10000)
		},
		"all": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			n := 0
			err := tx.EachMemory(ctx, func(*sqlstore.Stored) error { n++; return nil })
			return n, err
		},
		"ids": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			list, _, err := tx.Lists().IDs(ctx, v, store.Filter{}, 20000)
			return list, err
		},
		"passing": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			return tx.Lists().Passing(ctx, v, store.Filter{Lifecycle: loci.AnyState}, ids)
		},
	}
	maps.Copy(all, rowQuestions(start, ids))
	return all
}

// rowQuestions are those that no visibility rule narrows: only the org does.
func rowQuestions(start store.Position, ids []loci.MemoryID) map[string]question {
	return map[string]question{
		"rows changed": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			c, err := tx.Rows().Changed(ctx, start)
			return c.IDs, err
		},
		"rows read": func(ctx context.Context, tx *sqlstore.Tx) (any, error) { return tx.Rows().Read(ctx, ids) },
		"rows before": func(ctx context.Context, tx *sqlstore.Tx) (any, error) {
			list, _, err := tx.Rows().Before(ctx, 0, 20000)
			return list, err
		},
	}
}

// run asks in a transaction that writes, and undoes what it wrote.
func run(t *testing.T, s *engine, ask question) (answer any) {
	t.Helper()
	stop := errors.New("stop")
	err := s.Update(t.Context(), loci.DefaultOrg, func(tx store.Tx) (err error) {
		if answer, err = ask(t.Context(), tx.(*sqlstore.Tx)); err == nil {
			err = stop
		}
		return err
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	return answer
}
