package sqlite

import (
	"embed"
	"math"
	"path"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

//go:embed migrations/meta/*.sql migrations/org/*.sql migrations/project/*.sql
var migrationFiles embed.FS

// migrationFuncs are the steps after a file that SQL cannot express.
var migrationFuncs = map[string]func(*sqlitedb.Conn) error{"org/digests": addDigests,
	"org/shared_sessions": moveAgents, "project/texts": hashEntities}

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

// setUpOrg registers the tokenizer of a table that earlier versions had. The migration that drops the table needs one.
func setUpOrg(c *sqlite3.Conn) error {
	return fts5.RegisterCustom(c, func(api *fts5.API) error {
		return api.CreateTokenizer("loci", func([]string) (fts5.Tokenizer, error) { return noWords{}, nil })
	})
}

// noWords finds no words.
type noWords struct{}

func (noWords) Tokenize(fts5.TokenizeFlag, string, string, fts5.TokenCallback) error { return nil }

// called is an agent from the time when each person and vendor had names of their own.
type called struct {
	id   [16]byte
	name string
}

// moveAgents gives the agents names that occur once in the org. Of several with one name the oldest
// keeps it. The others tell their old name in their description, and the audit trail has them.
func moveAgents(c *sqlitedb.Conn) error {
	var list []called
	taken := map[string]bool{}
	err := c.Query("SELECT id, name FROM old_agents ORDER BY created_at, id", nil, func(r *sqlitedb.Row) error {
		list = append(list, called{r.ID(0), r.Text(1)})
		taken[r.Text(1)] = true
		return nil
	})
	kept := map[string]bool{}
	for i := 0; i < len(list) && err == nil; i++ {
		name, description := list[i].name, ""
		if kept[name] {
			name, description = loci.FreeName(name, func(s string) bool { return taken[s] }), loci.RenamedText+name
			taken[name] = true
			err = c.Exec("INSERT INTO audit (at, action, allowed, kind, method, vendor, target, count) VALUES "+
				"(CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'agent.change', 1, ?, ?, '', ?, 0)",
				string(loci.KindLocal), string(loci.ByDisk), loci.AgentID(list[i].id).String())
		}
		kept[name] = true
		if err == nil {
			err = c.Exec("INSERT INTO agents (id, user_id, vendor, name, description, config, created_at, updated_at) "+
				"SELECT id, user_id, vendor, ?, ?, config, created_at, updated_at FROM old_agents WHERE id = ?",
				name, description, list[i].id)
		}
	}
	if err != nil {
		return err
	}
	return c.Exec("DROP TABLE old_agents")
}
