package sqlite

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

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
