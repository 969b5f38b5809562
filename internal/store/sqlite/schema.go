package sqlite

import (
	"embed"
	"math"
	"path"

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

// migrations returns the steps of the schema of one kind of database.
func migrations(kind string) []sqlitedb.Migration {
	list := sqlitedb.ReadMigrations(migrationFiles, path.Join("migrations", kind))
	for i := range list {
		list[i].Func = migrationFuncs[kind+"/"+list[i].Name]
	}
	return list
}
