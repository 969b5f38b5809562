package sqlite

import (
	"bytes"
	"cmp"
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

// newSumsLike returns sums that can be added to others.
func newSumsLike(s *sums) *sums { return &sums{s.seed, map[int64]*[pageRows]uint64{}} }

// add adds the sums of all rows of others.
func (s *sums) add(others *sums) {
	for page, sums := range others.pages {
		for i, sum := range sums {
			*s.of(page*pageRows + int64(i)) += sum
		}
	}
}

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

// comparison compares an index with the rows: the sums of its entries with the sums of those that
// the rows should have. Each sum belongs to one of two readers, so that they can work side by side.
type comparison struct {
	indexed        *sums // of the full-text index; all its entries
	text, postings *sums // negative: of the entries that the rows should have
}

func newComparison() *comparison {
	indexed := newSums()
	return &comparison{indexed, newSumsLike(indexed), newSums()}
}

func (c *comparison) report() []string {
	c.indexed.add(c.text)
	return append(c.indexed.report("full-text index"), c.postings.report("list index")...)
}

// Check compares the derived data with the rows. It reads one snapshot and may run in a View, so
// that writers can go on.
func (x index) Check(ctx context.Context) ([]string, error) {
	c := newComparison()
	err := x.sumWords(c)
	if err == nil {
		err = x.sumRows(ctx, c)
	}
	return c.report(), err
}

// sumWords adds the entries of the full-text index, which come in the order of their terms.
func (x index) sumWords(c *comparison) error {
	var last []byte
	var hash uint64
	return x.c.Query("SELECT term, doc, col, offset FROM memory_words", nil, func(r *sqlitedb.Row) error {
		if term := r.Raw(0); last == nil || !bytes.Equal(term, last) {
			last, hash = append(last[:0], term...), maphash.Bytes(c.indexed.seed, term)
		}
		*c.indexed.of(r.Int64(1)) += c.indexed.word(hash, fieldNumber(r.Raw(2)), r.Int(3))
		return nil
	})
}

// sumRows adds the postings and the digests of texts, and subtracts what the rows should have in both indexes.
func (x index) sumRows(ctx context.Context, c *comparison) error {
	const postings = "SELECT pool, vendor, token, at, seq, expires_at, agent_id, workspace_id FROM memory_postings"
	err := x.c.Query(postings, nil, func(r *sqlitedb.Row) error {
		seq, p := scanPosting(r)
		*c.postings.of(seq) += maphash.Comparable(c.postings.seed, p)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	err = x.c.Query("SELECT seq, digest FROM memories", nil, func(r *sqlitedb.Row) error {
		*c.postings.of(r.Int64(0)) += maphash.Comparable(c.postings.seed, r.Int64(1))
		return nil
	})
	if err != nil {
		return err
	}
	var analyzer loci.Analyzer
	analyzer.Remember()
	return x.eachMemory(ctx, "checking memories", func(m *sqlstore.Stored) error {
		for _, p := range postingsOf(&m.Memory) {
			*c.postings.of(m.Seq) -= maphash.Comparable(c.postings.seed, p)
		}
		*c.postings.of(m.Seq) -= maphash.Comparable(c.postings.seed, sqlstore.TextDigest(m.Title, m.Content))
		for i, field := range []string{m.Title, m.Content, m.Summary, m.Key, m.Category, sqlstore.TagText(m.Tags)} {
			offset, sum := 0, c.text.of(m.Seq)
			analyzer.Words(field, func(w loci.Word) bool {
				*sum -= c.text.word(maphash.String(c.text.seed, w.Stem), i, offset)
				if w.Form != w.Stem {
					*sum -= c.text.word(maphash.String(c.text.seed, w.Form), i, offset)
				}
				offset++
				return true
			})
		}
		return nil
	})
}

// eachMemory is EachMemory for a stage of long work, which reports how many rows are done.
func (x index) eachMemory(ctx context.Context, stage string, fn func(*sqlstore.Stored) error) error {
	at := loci.Progress{Stage: stage}
	_, err := x.c.One("SELECT count(*) FROM memories", nil, func(r *sqlitedb.Row) error {
		at.Total = r.Int64(0)
		return nil
	})
	if err != nil {
		return err
	}
	return x.EachMemory(ctx, func(m *sqlstore.Stored) error {
		at.Done++
		loci.ReportProgress(ctx, at)
		return fn(m)
	})
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
		loci.ReportProgress(ctx, loci.Progress{Stage: "checking org " + string(org.ID)})
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

// checkOrg checks the file beside its derived data: both read all of it, and each keeps a processor
// busy. If the file is damaged, it reports nothing else.
func (s *Store) checkOrg(ctx context.Context, id loci.OrgID) (problems []string, err error) {
	err = s.with(ctx, id, func(f *orgFile) error {
		beside, cancel := context.WithCancel(ctx)
		defer cancel()
		differences := make(chan checked, 1)
		go func() { differences <- s.checkDerived(beside, f) }()
		damage := checked{}
		damage.err = f.db.View(ctx, func(c *sqlitedb.Conn) (err error) {
			damage.problems, err = integrity(c, "memory_text")
			return err
		})
		found := damage
		if damage.err != nil || len(damage.problems) > 0 {
			cancel()
		}
		if derived := <-differences; damage.err == nil && len(damage.problems) == 0 {
			found = derived
		}
		problems = found.problems
		return found.err
	})
	return problems, err
}

// checked is the result of a check.
type checked struct {
	problems []string
	err      error
}

// checkDerived is index.Check by two readers of one snapshot.
func (s *Store) checkDerived(ctx context.Context, f *orgFile) checked {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := newComparison()
	var failed error
	err := f.db.ViewTwo(ctx, func(a, b *sqlitedb.Conn) error {
		words := make(chan error, 1)
		go func() { words <- indexOf(s.tx(f, a)).sumWords(c) }()
		if failed = indexOf(s.tx(f, b)).sumRows(ctx, c); failed != nil {
			cancel()
		}
		return <-words
	})
	if err = cmp.Or(failed, err); err != nil {
		return checked{nil, err}
	}
	return checked{c.report(), nil}
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
