package embedded

import (
	"embed"
	"path"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

//go:embed migrations/log/*.sql migrations/month/*.sql
var migrationFiles embed.FS

// migrations returns the steps of the schema of one kind of database.
func migrations(kind string) []sqlitedb.Migration {
	return sqlitedb.ReadMigrations(migrationFiles, path.Join("migrations", kind))
}
