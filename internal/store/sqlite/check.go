package sqlite

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"slices"
	"syscall"

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

func (s *sums) of(row int64) *uint64 {
	page := s.pages[row/pageRows]
	if page == nil {
		page = new([pageRows]uint64)
		s.pages[row/pageRows] = page
	}
	return &page[row&(pageRows-1)]
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

// Check compares the derived data with the rows. It reads one snapshot and may run in a View, so
// that writers can go on.
func (x index) Check(ctx context.Context) ([]string, error) {
	s := &sums{maphash.MakeSeed(), map[int64]*[pageRows]uint64{}}
	err := x.sumPostings(ctx, s)
	if err == nil {
		err = x.subtractRows(ctx, s)
	}
	return s.report("list index"), err
}

func (x index) sumPostings(ctx context.Context, s *sums) error {
	const postings = "SELECT pool, vendor, token, at, seq, expires_at, agent_id, workspace_id FROM memory_postings"
	err := x.c.Query(postings, nil, func(r *sqlitedb.Row) error {
		seq, p := scanPosting(r)
		*s.of(seq) += maphash.Comparable(s.seed, p)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return x.c.Query("SELECT seq, digest FROM memories", nil, func(r *sqlitedb.Row) error {
		*s.of(r.Int64(0)) += maphash.Comparable(s.seed, r.Int64(1))
		return nil
	})
}

// subtractRows subtracts what the rows should have.
func (x index) subtractRows(ctx context.Context, s *sums) error {
	return x.eachMemory(ctx, "checking memories", func(m *sqlstore.Stored) error {
		for _, p := range postingsOf(&m.Memory) {
			*s.of(m.Seq) -= maphash.Comparable(s.seed, p)
		}
		*s.of(m.Seq) -= maphash.Comparable(s.seed, sqlstore.TextDigest(m.Title, m.Content))
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

// Check reads every file of the data directory and returns the problems that it finds, one
// sentence each. It reads snapshots while others write.
func (s *Store) Check(ctx context.Context) ([]loci.Problem, error) {
	found, err := s.meta.Check(ctx)
	problems := named(metaFile, loci.Problems(loci.ProblemDamage, found...))
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
			found, err = append(found, problemOf(err)), nil
		}
		problems = append(problems, named(orgsDir+"/"+string(org.ID)+".db", found)...)
		if err != nil {
			return problems, err
		}
		sound := len(found) == 0 // if the registry is damaged, the expected files are unknown
		wrong, err := s.Blobs().Check(ctx, org.ID)
		problems = append(problems, loci.Problems(loci.ProblemAttachment, wrong...)...)
		if loci.CodeOf(err) == loci.Unavailable {
			if sound {
				problems = append(problems, named(assetsDir+"/"+string(org.ID), []loci.Problem{problemOf(err)})...)
			}
			err = nil
		}
		if err != nil {
			return problems, err
		}
	}
	_, lost, err := s.LostEvents(ctx)
	if problems = append(problems, loci.Problems(loci.ProblemEvents, lost...)...); err != nil {
		return problems, err
	}
	lost, err = s.strayBlobs(ctx)
	if problems = append(problems, loci.Problems(loci.ProblemAttachment, lost...)...); err != nil {
		return problems, err
	}
	lost, err = s.checkUnregistered(ctx)
	if problems = append(problems, loci.Problems(loci.ProblemDamage, lost...)...); err != nil {
		return problems, err
	}
	more, err := s.checkProjects(ctx)
	return append(problems, more...), err
}

// checkOrg checks the file beside its derived data: both read all of it, and each keeps a processor
// busy. If the file is damaged, it reports nothing else.
func (s *Store) checkOrg(ctx context.Context, id loci.OrgID) (problems []loci.Problem, err error) {
	err = s.with(ctx, id, func(f *orgFile) error {
		beside, cancel := context.WithCancel(ctx)
		defer cancel()
		differences := make(chan checked, 1)
		go func() { differences <- s.checkDerived(beside, f) }()
		damage := checked{}
		damage.err = f.DB.View(ctx, func(c *sqlitedb.Conn) (err error) {
			damage.problems, err = c.Check()
			return err
		})
		found, kind := damage, loci.ProblemDamage
		if damage.err != nil || len(damage.problems) > 0 {
			cancel()
		}
		if derived := <-differences; damage.err == nil && len(damage.problems) == 0 {
			found, kind = derived, loci.ProblemDerived
		}
		problems = loci.Problems(kind, found.problems...)
		return found.err
	})
	return problems, err
}

type checked struct {
	problems []string
	err      error
}

// checkDerived is index.Check with a snapshot of its own.
func (s *Store) checkDerived(ctx context.Context, f *orgFile) (c checked) {
	c.err = f.DB.View(ctx, func(conn *sqlitedb.Conn) (err error) {
		c.problems, err = indexOf(s.tx(f, conn)).Check(ctx)
		return err
	})
	return c
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

func named(file string, problems []loci.Problem) []loci.Problem {
	for i := range problems {
		problems[i].Text = file + ": " + problems[i].Text
	}
	return problems
}

// problemOf returns the problem that an Unavailable error is about.
func problemOf(err error) loci.Problem {
	kind := loci.ProblemDamage
	switch {
	case errors.Is(err, errBusy):
		kind = loci.ProblemBusy
	case errors.Is(err, sqlitedb.ErrReadOnly), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		kind = loci.ProblemUnwritable
	}
	return loci.Problem{Kind: kind, Text: err.Error()}
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
