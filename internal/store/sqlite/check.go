package sqlite

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// maxReported limits a report. Otherwise a lost index would list every row.
const maxReported = 20

// sums holds for each row a sum of hashes: the entries of the index minus the entries that the
// row should have. If they agree, the sum is zero, whatever their order.
type sums struct {
	seed maphash.Seed
	rows map[int64]uint64
}

func newSums() *sums { return &sums{maphash.MakeSeed(), map[int64]uint64{}} }

func (s *sums) has(row int64, entry any)    { s.rows[row] += maphash.Comparable(s.seed, entry) }
func (s *sums) should(row int64, entry any) { s.rows[row] -= maphash.Comparable(s.seed, entry) }

func (s *sums) report(what string) (problems []string) {
	var wrong []int64
	for row, sum := range s.rows {
		if sum != 0 {
			wrong = append(wrong, row)
		}
	}
	slices.Sort(wrong)
	for i, row := range wrong {
		if i == maxReported {
			return append(problems, fmt.Sprintf("the %s differs from %d more rows", what, len(wrong)-i))
		}
		problems = append(problems, fmt.Sprintf("the %s differs from row %d: rebuild it", what, row))
	}
	return problems
}

// word is one entry of the full-text index.
type word struct {
	text, field string
	offset      int
}

var fieldNames = [loci.FieldCount]string{"title", "content", "summary", "key", "category", "tags"}

// Check compares the derived data with the rows. It reads one snapshot and may run in a View, so
// that writers can go on.
func (x index) Check(ctx context.Context) ([]string, error) {
	text, postings := newSums(), newSums()
	if err := x.sumIndexes(ctx, text, postings); err != nil {
		return nil, err
	}
	var analyzer loci.Analyzer
	err := x.EachMemory(ctx, func(m *sqlstore.Stored) error {
		for _, p := range postingsOf(&m.Memory) {
			postings.should(m.Seq, p)
		}
		for i, field := range []string{m.Title, m.Content, m.Summary, m.Key, m.Category, sqlstore.TagText(m.Tags)} {
			offset := 0
			analyzer.Words(field, func(w loci.Word) bool {
				text.should(m.Seq, word{w.Stem, fieldNames[i], offset})
				if w.Form != w.Stem {
					text.should(m.Seq, word{w.Form, fieldNames[i], offset})
				}
				offset++
				return true
			})
		}
		return nil
	})
	return append(text.report("full-text index"), postings.report("list index")...), err
}

func (x index) sumIndexes(ctx context.Context, text, postings *sums) error {
	err := x.c.Query("SELECT term, doc, col, offset FROM memory_words", nil, func(r *sqlitedb.Row) error {
		text.has(r.Int64(1), word{r.Text(0), r.Text(2), r.Int(3)})
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return x.c.Query("SELECT pool, vendor, token, at, seq, expires_at, agent_id, workspace_id FROM memory_postings", nil,
		func(r *sqlitedb.Row) error {
			seq, p := scanPosting(r)
			postings.has(seq, p)
			return ctx.Err()
		})
}

// Check reads every file of the data directory and returns the problems that it finds, one
// sentence each. It reads snapshots while others write.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	problems, err := s.meta.Check(ctx)
	problems = named(metaFile, problems)
	if err != nil {
		return problems, translate(err)
	}
	list, err := s.Orgs().List(ctx)
	if err != nil {
		return problems, err
	}
	for _, org := range list {
		found, err := s.checkOrg(ctx, org.ID)
		if loci.CodeOf(err) == loci.Unavailable {
			found, err = append(found, err.Error()), nil
		}
		problems = append(problems, named(orgsDir+"/"+string(org.ID)+".db", found)...)
		if err != nil {
			return problems, err
		}
		sound := len(found) == 0 // if the registry is damaged, the expected files are unknown
		found, err = s.Blobs().Check(ctx, org.ID)
		if loci.CodeOf(err) == loci.Unavailable {
			if sound {
				found = append(found, assetsDir+"/"+string(org.ID)+": "+err.Error())
			}
			err = nil
		}
		if problems = append(problems, found...); err != nil {
			return problems, err
		}
	}
	lost, err := s.strayBlobs(ctx)
	if problems = append(problems, lost...); err != nil {
		return problems, err
	}
	lost, err = s.checkUnregistered(ctx)
	if problems = append(problems, lost...); err != nil {
		return problems, err
	}
	found, err := s.checkProjects(ctx)
	return append(problems, found...), err
}

func (s *Store) checkOrg(ctx context.Context, id loci.OrgID) (problems []string, err error) {
	err = s.with(ctx, id, func(f *orgFile) error {
		return f.db.View(ctx, func(c *sqlitedb.Conn) error {
			if problems, err = integrity(c, "memory_text"); err != nil || len(problems) > 0 {
				return err // a check of derived data is useless if the file is damaged
			}
			problems, err = s.tx(f, c).Lists().Check(ctx)
			return err
		})
	})
	return problems, err
}

// integrity queries the full-text tables before it checks the file. FTS5 caches their layout
// until the next query, so integrity_check alone would report moved data as damage.
func integrity(c *sqlitedb.Conn, tables ...string) ([]string, error) {
	for _, table := range tables {
		err := c.Query("SELECT rowid FROM "+table+" WHERE "+table+" MATCH 'a' LIMIT 1", nil,
			func(*sqlitedb.Row) error { return nil })
		if err != nil && !errors.Is(err, sqlitedb.ErrCorrupt) && !errors.Is(err, sqlitedb.ErrNotDB) {
			return nil, err
		}
	}
	return c.Check()
}

func named(file string, problems []string) []string {
	for i := range problems {
		problems[i] = file + ": " + problems[i]
	}
	return problems
}

// Rebuild rebuilds the derived data of every org and project.
func (s *Store) Rebuild(ctx context.Context) error {
	list, err := s.Orgs().List(ctx)
	if err != nil {
		return err
	}
	for _, org := range list {
		if err := s.Update(ctx, org.ID, func(tx store.Tx) error { return tx.Lists().Rebuild(ctx) }); err != nil {
			return fmt.Errorf("cannot rebuild org %s: %w", org.ID, err)
		}
	}
	return s.rebuildProjects(ctx)
}
