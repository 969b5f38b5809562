package sqlite

import (
	"embed"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

//go:embed migrations/meta/*.sql migrations/org/*.sql migrations/project/*.sql
var migrationFiles embed.FS

// migrationFuncs are the steps after a file that SQL cannot express.
var migrationFuncs = map[string]func(*sqlitedb.Conn) error{"org/digests": addDigests,
	"org/shared_sessions": moveAgents}

// addDigests fills in the digest of the memories that are there.
func addDigests(c *sqlitedb.Conn) error {
	const page = 1000
	for after, more := int64(math.MinInt64), true; more; {
		var seqs, digests []int64
		err := c.Query("SELECT seq, title, content FROM memories WHERE seq > ? ORDER BY seq LIMIT ?",
			sqlitedb.Args{after, page}, func(r *sqlitedb.Row) error {
				seqs, digests = append(seqs, r.Int64(0)), append(digests, sqlstore.TextDigest(r.Text(1), r.Text(2)))
				return nil
			})
		if err != nil {
			return err
		}
		for i, seq := range seqs {
			if err := c.Exec("UPDATE memories SET digest = ? WHERE seq = ?", digests[i], seq); err != nil {
				return err
			}
			after = seq
		}
		more = len(seqs) == page
	}
	return nil
}

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
		out = append(out, sqlitedb.Migration{Number: n, Name: name, SQL: string(text), Func: migrationFuncs[kind+"/"+name]})
	}
	return out
}
