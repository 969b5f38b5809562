package sqlite

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

//go:embed migrations/meta/*.sql migrations/org/*.sql migrations/project/*.sql
var migrationFiles embed.FS

// migrations reads the numbered files of one kind of database. They are part of the program, so
// an error in them is a panic.
func migrations(kind string) []sqlitedb.Migration {
	dir := path.Join("migrations", kind)
	entries, err := migrationFiles.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	var out []sqlitedb.Migration
	for _, e := range entries {
		number, name, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".sql"), "_")
		n, err := strconv.Atoi(number)
		if err != nil {
			panic(fmt.Sprintf("migration %s has no number", e.Name()))
		}
		text, err := migrationFiles.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			panic(err)
		}
		out = append(out, sqlitedb.Migration{Number: n, Name: name, SQL: string(text)})
	}
	return out
}
