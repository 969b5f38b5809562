package embedded

import (
	"encoding/binary"
	"slices"
	"sort"
	"time"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// run has the hashes of some events in a row, sorted, in pages of the log. Runs never change. If there
// are many of one level, they are merged into one of the next.
type run struct {
	n        int64
	mark     [8]byte // random: tells a run from one whose transaction was rolled back
	level    int
	first    int64 // all seqs are greater
	last     int64
	recorded int64
	bloom    bloom
	fences   []byte // the first hash of each page
}

const (
	pageEntries = 320 // so that a page of the database holds one of a run
	entryBytes  = 12  // the hash, and the seq after the first of the run
	runFanOut   = 8
	topLevel    = 2 // runs of this level have half a million hashes and are not merged
	// maxBlooms limits the memory for filters: 16 million hashes. For older runs, a search reads a page.
	maxBlooms = 32 << 20
)

// runs are the runs of a log that a writer has to search.
type runs struct {
	list  []*run // those recorded since, the newest first
	since int64
	n     int64 // the newest of all
	mark  [8]byte
	last  int64
}

// follow brings rs up to the runs of the transaction that were recorded since a time. changed is set if
// the newest of all is another one.
func (rs *runs) follow(c *sqlitedb.Conn, since int64) (changed bool, err error) {
	var newest run
	_, err = c.One("SELECT n, mark, last FROM runs ORDER BY n DESC LIMIT 1", nil, func(r *sqlitedb.Row) error {
		newest.n, newest.last = r.Int64(0), r.Int64(2)
		copy(newest.mark[:], r.Raw(1))
		return nil
	})
	if err != nil {
		return false, err
	}
	changed = newest.n != rs.n || newest.mark != rs.mark
	if !changed && since >= rs.since {
		return false, nil
	}
	rs.n, rs.mark, rs.last = newest.n, newest.mark, newest.last
	return changed, rs.load(c, since)
}

// reach reports whether rs has all runs that were recorded since a time, as of the last call of follow.
func (rs *runs) reach(since time.Time) bool { return since.UnixMicro() >= rs.since }

// load reads the runs again, except those that it has.
func (rs *runs) load(c *sqlitedb.Conn, since int64) error {
	known := map[int64]*run{}
	for _, r := range rs.list {
		known[r.n] = r
	}
	size := 0
	rs.list, rs.since = nil, since
	return c.Query(`SELECT n, mark, level, first, last, recorded, fences, bloom FROM runs WHERE recorded >= ?
		ORDER BY n DESC`, sqlitedb.Args{since}, func(row *sqlitedb.Row) error {
		r := &run{n: row.Int64(0), level: row.Int(2), first: row.Int64(3), last: row.Int64(4), recorded: row.Int64(5)}
		copy(r.mark[:], row.Raw(1))
		if have := known[r.n]; have != nil && have.mark == r.mark {
			r = have
		} else {
			r.fences, r.bloom = row.Blob(6), row.Blob(7)
		}
		if size += len(r.bloom); size > maxBlooms {
			r.bloom = nil
		}
		rs.list = append(rs.list, r)
		return nil
	})
}

func (rs *runs) find(c *sqlitedb.Conn, hash int64) (seqs []int64, err error) {
	for _, r := range rs.list {
		if !r.bloom.has(hash) {
			continue
		}
		if seqs, err = r.find(c, hash, seqs); err != nil {
			return nil, err
		}
	}
	return seqs, nil
}

func (r *run) fence(page int) int64 {
	return int64(binary.BigEndian.Uint64(r.fences[8*page:])) // #nosec G115 -- only the bits count
}

func (r *run) pages() int { return len(r.fences) / 8 }

func (r *run) find(c *sqlitedb.Conn, hash int64, seqs []int64) ([]int64, error) {
	page := sort.Search(r.pages(), func(i int) bool { return r.fence(i) >= hash })
	page = max(0, page-1) // which may end with the hash
	for ; page < r.pages() && r.fence(page) <= hash; page++ {
		_, err := c.One("SELECT data FROM run_pages WHERE n = ?", sqlitedb.Args{pageNumber(r.n, page)},
			func(row *sqlitedb.Row) error {
				data := row.Raw(0)
				at := sort.Search(len(data)/entryBytes, func(i int) bool { return r.entry(data, i).hash >= hash })
				for ; at < len(data)/entryBytes && r.entry(data, at).hash == hash; at++ {
					seqs = append(seqs, r.entry(data, at).seq)
				}
				return nil
			})
		if err != nil {
			return nil, err
		}
	}
	return seqs, nil
}

// pageNumber returns the key of a page. No run has a million pages.
func pageNumber(run int64, page int) int64 { return run<<20 | int64(page) }

func (r *run) entry(data []byte, i int) entry {
	at := data[i*entryBytes:]
	hash := int64(binary.BigEndian.Uint64(at)) // #nosec G115 -- only the bits count
	return entry{hash, r.first + int64(binary.BigEndian.Uint32(at[8:]))}
}

// add writes a run of sorted entries. r has what does not follow from them.
func (rs *runs) add(c *sqlitedb.Conn, entries []entry, r run) error {
	r.first = entries[0].seq
	for _, e := range entries {
		r.first = min(r.first, e.seq)
	}
	r.bloom = newBloom(len(entries))
	for _, e := range entries {
		r.bloom.add(e.hash)
	}
	for page := range slices.Chunk(entries, pageEntries) {
		r.fences = binary.BigEndian.AppendUint64(r.fences, uint64(page[0].hash)) // #nosec G115 -- only the bits count
	}
	err := c.Exec(`INSERT INTO runs (level, first, last, recorded, mark, bloom, fences)
		VALUES (?, ?, ?, ?, randomblob(8), ?, ?)`, r.level, r.first, r.last, r.recorded, []byte(r.bloom), r.fences)
	if err != nil {
		return err
	}
	r.n = c.LastInsertID()
	return r.write(c, entries)
}

func (r *run) write(c *sqlitedb.Conn, entries []entry) error {
	page := 0
	data := make([]byte, 0, pageEntries*entryBytes)
	for part := range slices.Chunk(entries, pageEntries) {
		data = data[:0]
		for _, e := range part {
			data = binary.BigEndian.AppendUint64(data, uint64(e.hash))        // #nosec G115 -- only the bits count
			data = binary.BigEndian.AppendUint32(data, uint32(e.seq-r.first)) // #nosec G115 -- a run has less than 2^32
		}
		if err := c.Exec("INSERT INTO run_pages (n, data) VALUES (?, ?)", pageNumber(r.n, page), data); err != nil {
			return err
		}
		page++
	}
	return nil
}

// tidy deletes runs that were recorded before a time, and merges others. It keeps the newest run, which
// says how far runs go.
func (rs *runs) tidy(c *sqlitedb.Conn, before int64) error {
	if err := rs.expire(c, before); err != nil {
		return err
	}
	for level := range topLevel {
		if err := rs.merge(c, level); err != nil {
			return err
		}
	}
	return nil
}

func (rs *runs) expire(c *sqlitedb.Conn, before int64) error {
	var old []int64
	err := c.Query("SELECT n FROM runs WHERE recorded < ? AND n < (SELECT max(n) FROM runs)", sqlitedb.Args{before},
		func(r *sqlitedb.Row) error { old = append(old, r.Int64(0)); return nil })
	if err != nil {
		return err
	}
	return deleteRuns(c, old)
}

func deleteRuns(c *sqlitedb.Conn, list []int64) error {
	for _, n := range list {
		if err := c.Exec("DELETE FROM run_pages WHERE n >= ? AND n < ?", pageNumber(n, 0), pageNumber(n+1, 0)); err != nil {
			return err
		}
		if err := c.Exec("DELETE FROM runs WHERE n = ?", n); err != nil {
			return err
		}
	}
	return nil
}

// merge makes one run of all those of a level, if there are many.
func (rs *runs) merge(c *sqlitedb.Conn, level int) error {
	var list []*run
	var numbers []int64
	err := c.Query("SELECT n, first, last, recorded FROM runs WHERE level = ? ORDER BY n", sqlitedb.Args{level},
		func(row *sqlitedb.Row) error {
			list = append(list, &run{n: row.Int64(0), first: row.Int64(1), last: row.Int64(2), recorded: row.Int64(3)})
			numbers = append(numbers, row.Int64(0))
			return nil
		})
	if err != nil || len(list) < runFanOut {
		return err
	}
	merged := run{level: level + 1}
	var lists [][]entry
	for _, r := range list {
		entries, err := r.read(c)
		if err != nil {
			return err
		}
		lists = append(lists, entries)
		merged.last, merged.recorded = max(merged.last, r.last), max(merged.recorded, r.recorded)
	}
	if err := rs.add(c, mergeAll(lists), merged); err != nil {
		return err
	}
	return deleteRuns(c, numbers)
}

func (r *run) read(c *sqlitedb.Conn) (entries []entry, err error) {
	err = c.Query("SELECT data FROM run_pages WHERE n >= ? AND n < ? ORDER BY n",
		sqlitedb.Args{pageNumber(r.n, 0), pageNumber(r.n+1, 0)}, func(row *sqlitedb.Row) error {
			data := row.Raw(0)
			for i := range len(data) / entryBytes {
				entries = append(entries, r.entry(data, i))
			}
			return nil
		})
	return entries, err
}

// mergeAll merges sorted lists, pair by pair.
func mergeAll(lists [][]entry) []entry {
	for len(lists) > 1 {
		var next [][]entry
		for pair := range slices.Chunk(lists, 2) {
			if len(pair) == 2 {
				next = append(next, mergeTwo(pair[0], pair[1]))
			} else {
				next = append(next, pair[0])
			}
		}
		lists = next
	}
	return lists[0]
}

func mergeTwo(a, b []entry) []entry {
	out := make([]entry, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].hash <= b[0].hash {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
