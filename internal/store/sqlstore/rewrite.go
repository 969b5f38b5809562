package sqlstore

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// textColumns are the columns with texts in the rows of a memory, or of a person in a graph. The column tags is a list.
type textColumns struct {
	table, of, row string
	columns        []string
	mark           string // of the table in statements
}

var textsOfMemory = []textColumns{
	{"memory_versions", "seq", "version",
		[]string{"title", "content", "summary", "key", "category", "source", "tags"}, ""},
	{"sources", "memory_seq", "seq", []string{"ref", "text", "quote"}, ""},
}

var textsOfGraph = []textColumns{
	{"entities", "user_id", "seq", []string{"name", "entity_type"}, "graph "},
	{"observations", "user_id", "seq", []string{"content"}, "graph "},
	{"relations", "user_id", "seq", []string{"relation_type"}, "graph "},
}

func (n entities) SettleSecrets(_ context.Context, user loci.UserID, ids store.GraphIDs, remove func(string) string) (
	err error) {
	if remove != nil && n.d.Scrub != "" {
		err = n.c.Exec(n.d.Scrub)
	}
	named := []any{ids.Entities, ids.Observations, ids.Relations}
	for i := 0; i < len(named) && err == nil; i++ {
		if remove != nil {
			err = rewrite(n.c, &textsOfGraph[i], user.String(), remove)
			continue
		}
		list, _ := json.Marshal(named[i]) // ids always marshal
		table := textsOfGraph[i].table
		err = n.c.Exec("UPDATE "+table+" SET secrets_kept = 1 WHERE {graph "+table+"} user_id = ? AND id IN (SELECT value "+
			"FROM {each ?})", user.String(), string(list))
	}
	return err
}

func (t memories) Rewrite(_ context.Context, id loci.MemoryID, fn func(string) string) error {
	seq, err := t.memorySeq(id)
	for i := 0; i < len(textsOfMemory) && err == nil; i++ {
		err = rewrite(t.c, &textsOfMemory[i], seq, fn)
	}
	return err
}

func rewrite(c Conn, in *textColumns, of any, fn func(string) string) error {
	var changed []Args
	err := c.Query("SELECT "+in.row+", "+strings.Join(in.columns, ", ")+" FROM "+in.table+" WHERE {"+in.mark+
		in.table+"} "+in.of+" = ?", Args{of}, func(r Row) (err error) {
		values, differs := Args{}, false
		for i, column := range in.columns {
			old := r.Text(i + 1)
			text := fn(old)
			if column == "tags" {
				var tags []string
				if tags, err = fromJSON[string]([]byte(old)); err != nil {
					return err
				}
				for i := range tags {
					tags[i] = fn(tags[i])
				}
				text = ToJSON(loci.Unique(tags))
			}
			values, differs = append(values, text), differs || text != old
		}
		if differs {
			changed = append(changed, append(values, of, r.Int64(0)))
		}
		return nil
	})
	for i := 0; i < len(changed) && err == nil; i++ {
		err = c.Exec("UPDATE "+in.table+" SET "+strings.Join(in.columns, " = ?, ")+" = ? WHERE {"+in.mark+in.table+"} "+
			in.of+" = ? AND "+in.row+" = ?", changed[i]...)
	}
	return err
}
