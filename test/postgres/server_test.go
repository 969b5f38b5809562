//go:build postgres

package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The roles: the owner of the tables runs no statement of the store, and the store's role owns nothing.
const (
	ownerRole = "loci_owner"
	storeRole = "loci_store"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// schema makes all tables, in the order of the names of the files.
func schema(t testing.TB) string {
	t.Helper()
	names, err := fs.Glob(schemaFiles, "schema/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := schemaFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// server is the address of a throw-away PostgreSQL server with the role of a superuser.
var server = os.Getenv("LOCI_POSTGRES")

func TestMain(m *testing.M) {
	if server == "" {
		fmt.Fprintln(os.Stderr, "LOCI_POSTGRES is not set; run test/integration/postgres.sh, which starts a server")
		os.Exit(1)
	}
	if err := createRoles(); err != nil {
		fmt.Fprintln(os.Stderr, "cannot create the roles:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func createRoles() error {
	ctx := context.Background()
	c, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	for _, role := range []string{ownerRole, storeRole} {
		_, err := c.Exec(ctx, "CREATE ROLE "+role+" LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE")
		if err != nil && !strings.Contains(err.Error(), "42710") { // it exists
			return err
		}
	}
	return nil
}

var schemas atomic.Int64

// newSchema makes the tables in a schema of this test and returns its name.
func newSchema(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), schemas.Add(1))
	asSuperuser(t, name, "CREATE SCHEMA "+name+" AUTHORIZATION "+ownerRole+"; SET ROLE "+ownerRole+"; "+schema(t)+
		"GRANT USAGE ON SCHEMA "+name+" TO "+storeRole+"; "+
		"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "+name+" TO "+storeRole)
	return name
}

// asSuperuser runs statements without parameters, to which no policy applies.
func asSuperuser(t testing.TB, schema, statements string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), server+" search_path="+schema)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if _, err := c.PgConn().Exec(t.Context(), statements).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// connect returns connections with the store's role that are closed when the test ends.
func connect(t testing.TB, schema string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(server + " user=" + storeRole + " search_path=" + schema)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 8
	config.ConnConfig.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: 5 * time.Second}
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}
