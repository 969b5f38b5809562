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
// row should have. If they agree, the sum is zero, whatever their order. Row numbers are dense, so
// that pages cost less than a map of rows.
type sums struct {
	seed  maphash.Seed
	pages map[int64]*[pageRows]uint64
}

const pageRows = 1024

func newSums() *sums { return &sums{maphash.MakeSeed(), map[int64]*[pageRows]uint64{}} }

// of returns the sum of a row.
func (s *sums) of(row int64) *uint64 {
	page := s.pages[row/pageRows]
	if page == nil {
		page = new([pageRows]uint64)
		s.pages[row/pageRows] = page
	}
	return &page[row&(pageRows-1)]
}

// word hashes an entry of the full-text index: a term, the number of its field and its position.
func (s *sums) word(term uint64, field, offset int) uint64 {
	h := term ^ uint64(field+1)<<56 ^ uint64(offset) // #nosec G115 -- any mapping of the numbers will do
	// These are the constants of MurmurHash3, which spread each bit over all of them.
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func (s *sums) report(what string) (problems []string) {
	var wrong []int64
	for page, sums := range s.pages {
		for i, sum := range sums {
			if sum != 0 {
				wrong = append(wrong, page*pageRows+int64(i))
			}
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

var fieldNames = [loci.FieldCount]string{"title", "content", "summary", "key", "category", "tags"}

// Check compares the derived data with the rows. It reads one snapshot and may run in a View, so
// that writers can go on.
func (x index) Check(ctx context.Context) ([]string, error) {
	text, postings := newSums(), newSums()
	if err := x.sumIndexes(ctx, text, postings); err != nil {
		return nil, err
	}
	var analyzer loci.Analyzer
	analyzer.Remember()
	err := x.EachMemory(ctx, func(m *sqlstore.Stored) error {
		for _, p := range postingsOf(&m.Memory) {
			*postings.of(m.Seq) -= maphash.Comparable(postings.seed, p)
		}
		for i, field := range []string{m.Title, m.Content, m.Summary, m.Key, m.Category, sqlstore.TagText(m.Tags)} {
			offset, sum := 0, text.of(m.Seq)
			analyzer.Words(field, func(w loci.Word) bool {
				*sum -= text.word(maphash.String(text.seed, w.Stem), i, offset)
				if w.Form != w.Stem {
					*sum -= text.word(maphash.String(text.seed, w.Form), i, offset)
				}
				offset++
				return true
			})
		}
		return nil
	})
	return append(text.report("full-text index"), postings.report("list index")...), err
}

// fieldNumber returns the position in fieldNames, -1 if there is no such field.
func fieldNumber(name []byte) int {
	for i, known := range fieldNames {
		if string(name) == known {
			return i
		}
	}
	return -1
}

func (x index) sumIndexes(ctx context.Context, text, postings *sums) error {
	err := x.c.Query("SELECT term, doc, col, offset FROM memory_words", nil, func(r *sqlitedb.Row) error {
		*text.of(r.Int64(1)) += text.word(maphash.Bytes(text.seed, r.Raw(0)), fieldNumber(r.Raw(2)), r.Int(3))
		return nil
	})
	if err != nil {
		return err
	}
	return x.c.Query("SELECT pool, vendor, token, at, seq, expires_at, agent_id, workspace_id FROM memory_postings", nil,
		func(r *sqlitedb.Row) error {
			seq, p := scanPosting(r)
			*postings.of(seq) += maphash.Comparable(postings.seed, p)
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

// checkOrg compares the derived data with the rows beside the check of the file: both read all of
// it, and each keeps one processor busy.
func (s *Store) checkOrg(ctx context.Context, id loci.OrgID) (problems []string, err error) {
	err = s.with(ctx, id, func(f *orgFile) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var derived []string
		done := make(chan error, 1)
		go func() {
			done <- f.db.View(ctx, func(c *sqlitedb.Conn) (err error) {
				derived, err = s.tx(f, c).Lists().Check(ctx)
				return err
			})
		}()
		err := f.db.View(ctx, func(c *sqlitedb.Conn) (err error) {
			problems, err = integrity(c, "memory_text")
			return err
		})
		if err != nil || len(problems) > 0 { // a check of derived data is useless if the file is damaged
			cancel()
			<-done //nolint:errcheck // it was cancelled
			return err
		}
		err = <-done
		problems = derived
		return err
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
