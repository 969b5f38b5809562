package sqlstore

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
)

// textColumns are the columns with texts in the rows of a table that belong to a memory. The column tags is a list.
type textColumns struct {
	table, of, row string
	columns        []string
}

var textsOfMemory = []textColumns{
	{"memory_versions", "seq", "version", []string{"title", "content", "summary", "key", "category", "source", "tags"}},
	{"sources", "memory_seq", "seq", []string{"ref", "text", "quote"}},
}

func (t memories) Rewrite(_ context.Context, id loci.MemoryID, fn func(string) string) error {
	seq, err := t.memorySeq(id)
	if err == nil && t.d.Scrub != "" {
		err = t.c.Exec(t.d.Scrub)
	}
	for i := 0; i < len(textsOfMemory) && err == nil; i++ {
		err = t.rewrite(&textsOfMemory[i], seq, fn)
	}
	return err
}

func (t memories) rewrite(in *textColumns, memory int64, fn func(string) string) error {
	var changed []Args
	err := t.c.Query("SELECT "+in.row+", "+strings.Join(in.columns, ", ")+" FROM "+in.table+" WHERE {"+in.table+"} "+
		in.of+" = ?", Args{memory}, func(r Row) (err error) {
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
				text = toJSON(loci.Unique(tags))
			}
			values, differs = append(values, text), differs || text != old
		}
		if differs {
			changed = append(changed, append(values, memory, r.Int64(0)))
		}
		return nil
	})
	for i := 0; i < len(changed) && err == nil; i++ {
		err = t.c.Exec("UPDATE "+in.table+" SET "+strings.Join(in.columns, " = ?, ")+" = ? WHERE {"+in.table+"} "+in.of+
			" = ? AND "+in.row+" = ?", changed[i]...)
	}
	return err
}
