package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// Common configures any run. All are required.
type Common struct {
	Binary   string        // the loci binary to measure
	Dir      string        // an empty directory on the disk to measure
	Clients  int           // of the concurrent steps
	Step     time.Duration // length of one step
	Progress func(string)  // told what is going on
}

// Options configure a run. All but Processor and Fairness are required.
type Options struct {
	Common
	Memories int // how many are stored before reads are measured
	// Processor measures only the processor time of each operation, and Fairness only how long one
	// credential waits for another.
	Processor, Fairness bool
}

// Result is one line of the table.
type Result struct {
	Step   string  `json:"step"`
	Sample Sample  `json:"sample,omitzero"`
	Value  float64 `json:"value"` // compared with the bars, in Unit
	Unit   string  `json:"unit"`
	Bars   []Bar   `json:"bars,omitempty"`
}

// Bar is a target figure.
type Bar struct {
	Name  string  `json:"name"` // "must" or "goal"
	Limit float64 `json:"limit"`
	Most  bool    `json:"most,omitempty"` // Value must be at most Limit, instead of at least
}

// Met reports whether the value reaches the bar.
func (b Bar) Met(value float64) bool {
	if b.Most {
		return value <= b.Limit
	}
	return value >= b.Limit
}

type bencher struct {
	Options
	report
}

type report struct{ results []Result }

// Run measures everything and returns one result per line, in order.
func Run(ctx context.Context, o Options) ([]Result, error) {
	b := &bencher{Options: o}
	parts := []func(context.Context) error{b.writes, b.reads, b.size, b.recalls, b.fairness, b.neighbours, b.crowds,
		b.processor}
	switch {
	case o.Processor:
		parts = []func(context.Context) error{b.processor}
	case o.Fairness:
		parts = []func(context.Context) error{b.searched, b.fairness, b.crowds}
	}
	return b.run(ctx, parts...)
}

// run calls each part until one fails, and returns the results so far.
func (r *report) run(ctx context.Context, parts ...func(context.Context) error) ([]Result, error) {
	for _, part := range parts {
		if err := part(ctx); err != nil {
			return r.results, err
		}
	}
	return r.results, nil
}

func (r *report) add(step string, s Sample, value float64, unit string, bars ...Bar) {
	r.results = append(r.results, Result{Step: step, Sample: s, Value: value, Unit: unit, Bars: bars})
}

// idleAfter is how long a server has had no request when its memory is measured: it gives memory back first.
const idleAfter = 5 * time.Second

// writes compares durable single writes over HTTP with SQLite's own. It measures SQLite before and
// after, because the speed of disks varies.
func (b *bencher) writes(ctx context.Context) error {
	b.Progress("SQLite alone: one durable row per transaction")
	before, err := b.yardstick(ctx, "before")
	if err != nil {
		return err
	}
	var w written
	if err := b.serve(ctx, "writes", func(s *server) (err error) {
		b.add("start to first answer, empty directory", Sample{}, ms(s.started), "ms", Bar{"must", 100, true})
		select {
		case <-ctx.Done():
		case <-time.After(idleAfter):
		}
		b.add("resident memory, idle", Sample{}, float64(s.resident())/(1<<20), "MB", Bar{"must", 45, true})
		w, err = b.writeSteps(ctx, s)
		return err
	}); err != nil {
		return err
	}
	after, err := b.yardstick(ctx, "after")
	if err != nil {
		return err
	}
	own := (before.PerSecond + after.PerSecond) / 2
	b.add("SQLite alone, before", before, before.PerSecond, "rows/s")
	b.add("SQLite alone, after", after, after.PerSecond, "rows/s")
	b.addWrites(w, own)
	return nil
}

// addWrites holds both kinds of saves against the same bars.
func (b *bencher) addWrites(w written, own float64) {
	for _, kind := range []struct {
		name string
		of   saves
	}{{"", w.compared}, {", \"similar\": false", w.plain}} {
		b.add("write, 1 client"+kind.name, kind.of.one, kind.of.one.PerSecond/own, "× SQLite", Bar{"must", 0.5, false},
			Bar{"goal", 0.8, false})
		b.add(fmt.Sprintf("write, %d clients%s", b.Clients, kind.name), kind.of.many, kind.of.many.PerSecond/own, "× SQLite",
			Bar{"must", 1.5, false}, Bar{"goal", 3, false})
	}
}

// saves is how fast one client and many save.
type saves struct{ one, many Sample }

// written measures the speed of saves that look for similar memories, which is the default, and of those that don't.
type written struct{ compared, plain saves }

func (b *bencher) writeSteps(ctx context.Context, s *server) (w written, err error) {
	sources := make([]*corpus, b.Clients)
	for i := range sources {
		sources[i] = newCorpus(uint64(i)+10, loci.NewUserID())
	}
	write := func(similar bool) func(*conn, int) (time.Duration, error) {
		return func(c *conn, client int) (time.Duration, error) {
			return 0, c.send("POST", "/agent/memories", agentKey, savedBy(sources[client], similar))
		}
	}
	for _, step := range []struct {
		name    string
		clients int
		similar bool
		sample  *Sample
	}{
		{"writes, 1 client, without similar", 1, false, &w.plain.one},
		{"writes, many clients, without similar", b.Clients, false, &w.plain.many},
		{"writes, 1 client", 1, true, &w.compared.one},
		{"writes, many clients", b.Clients, true, &w.compared.many},
	} {
		b.Progress(step.name)
		if err := errors.Join(s.warm(ctx), s.idle(ctx)); err != nil {
			return w, err
		}
		if *step.sample, err = s.load(ctx, step.clients, b.Step, write(step.similar)); err != nil {
			return w, err
		}
	}
	return w, nil
}

func (b *bencher) yardstick(ctx context.Context, name string) (Sample, error) {
	user := loci.NewUserID()
	p, err := sqlite.OpenPlain(filepath.Join(b.Dir, "plain-"+name+".db"), user, true)
	if err != nil {
		return Sample{}, err
	}
	c := newCorpus(1, user)
	s, err := run(ctx, 1, b.Step, func(context.Context, int) (time.Duration, error) { return 0, p.Insert(c.next()) })
	return s, errors.Join(err, p.Close())
}

// load fills a directory in Dir and returns the ids.
func (b *bencher) load(ctx context.Context, dir string) ([]loci.MemoryID, error) {
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: filepath.Join(b.Dir, dir)})
	if err != nil {
		return nil, err
	}
	ids, err := b.fillWith(ctx, st, func(int, *loci.Memory) {})
	return ids, errors.Join(err, st.Close())
}

// fillWith stores the corpus and returns the ids. change alters each memory first.
func (b *bencher) fillWith(ctx context.Context, st store.Store, change func(int, *loci.Memory)) (
	[]loci.MemoryID, error) {
	org, err := firstOrg(ctx, st)
	if err != nil {
		return nil, err
	}
	c := newCorpus(1, org.OwnerID)
	ids := make([]loci.MemoryID, 0, b.Memories)
	for len(ids) < b.Memories {
		batch := min(500, b.Memories-len(ids))
		err := st.Update(ctx, org.ID, func(tx store.Tx) error {
			for range batch {
				m := c.next()
				change(len(ids), m)
				if err := tx.Memories().Insert(ctx, m); err != nil {
					return err
				}
				ids = append(ids, m.ID)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func firstOrg(ctx context.Context, st store.Store) (loci.Org, error) {
	org, _, err := st.Orgs().Ensure(ctx,
		loci.Org{ID: loci.DefaultOrg, Name: "default", OwnerID: loci.NewUserID(), CreatedAt: time.Now()}, loci.User{})
	return org, err
}

// searched fills the directory that fairness searches, if reads does not.
func (b *bencher) searched(ctx context.Context) error {
	b.Progress(fmt.Sprintf("storing %d memories", b.Memories))
	_, err := b.load(ctx, "reads")
	return err
}

func (b *bencher) reads(ctx context.Context) error {
	b.Progress(fmt.Sprintf("storing %d memories", b.Memories))
	ids, err := b.load(ctx, "reads")
	if err != nil {
		return err
	}
	return b.serve(ctx, "reads", func(s *server) error {
		b.add(fmt.Sprintf("start to first answer, %d memories", b.Memories), Sample{}, ms(s.started), "ms")
		if err := s.warm(ctx); err != nil {
			return err
		}
		return b.readSteps(ctx, s, ids)
	})
}

func (b *bencher) readSteps(ctx context.Context, s *server, ids []loci.MemoryID) error {
	c := newCorpus(2, loci.NewUserID())
	steps := []struct {
		name string
		bars []Bar
		op   func(*conn, int) (time.Duration, error)
	}{
		{"get by id", []Bar{{"must", 0.05, true}}, func(h *conn, _ int) (time.Duration, error) {
			return h.call("GET", "/agent/memories/"+ids[c.random.IntN(len(ids))].String(), personKey, nil)
		}},
		{"latest 20", []Bar{{"must", 0.5, true}}, func(h *conn, _ int) (time.Duration, error) {
			return h.call("POST", "/agent/memories/list", personKey, map[string]any{"limit": 20})
		}},
		{"by tag, 20", []Bar{{"must", 0.5, true}}, func(h *conn, _ int) (time.Duration, error) {
			return h.call("POST", "/agent/memories/by-tag", personKey, map[string]any{"tags": []string{c.tag()}, "limit": 20})
		}},
		{"search, 4 words", nil, func(h *conn, _ int) (time.Duration, error) {
			return h.call("POST", "/agent/memories/search", personKey, map[string]any{"term": c.text(4), "limit": 10})
		}},
	}
	for _, step := range steps {
		b.Progress(step.name)
		sample, err := s.load(ctx, 1, b.Step, step.op)
		if err != nil {
			return err
		}
		if !sample.ServerTimed {
			return fmt.Errorf("%s: the server reported no time", step.name)
		}
		b.add(fmt.Sprintf("%s, %d memories", step.name, b.Memories), sample, ms(sample.P50), "ms server time p50",
			step.bars...)
	}
	return nil
}

// size compares the bytes per memory with the same rows and full-text index in plain SQLite.
func (b *bencher) size(ctx context.Context) error {
	b.Progress("the same rows in plain SQLite")
	p, _, err := b.plainCopy("plain-size.db", false)
	if err == nil {
		err = p.Close()
	}
	if err != nil {
		return err
	}
	plain, err := os.Stat(filepath.Join(b.Dir, "plain-size.db"))
	if err != nil {
		return err
	}
	ours, err := bytesOf(filepath.Join(b.Dir, "reads"))
	if err != nil {
		return err
	}
	vectors, err := bytesOf(filepath.Join(b.Dir, "reads", "index-vectors"))
	if err != nil {
		return err
	}
	n := float64(b.Memories)
	b.add("plain SQLite on disk", Sample{}, float64(plain.Size())/n, "bytes/memory")
	b.add("data directory on disk", Sample{}, float64(ours)/n, "bytes/memory")
	b.add("vectors of these on disk", Sample{}, float64(vectors)/n, "bytes/memory")
	b.add("disk", Sample{}, float64(ours)/float64(plain.Size()), "× plain SQLite", Bar{"must", 1.3, true})
	return ctx.Err()
}

func bytesOf(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
