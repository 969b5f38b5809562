package vectors

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// These say how the queue is worked off.
const (
	// batchSize is how many memories a model gets at a time, unless it fails.
	batchSize = 64
	// claim is for how long a process has the memories that it took.
	claim = 5 * time.Minute
	// A memory that the model refuses, and a model that does not answer, are tried again after firstPause, and then
	// after twice as long each time, up to the longest one.
	firstPause, longestPause = time.Second, 10 * time.Minute
	longestRefusal           = 24 * time.Hour
	// longestAsked is how long a pause is at most that the model asks for.
	longestAsked = time.Hour
	// enoughTries is after how many tries a refused memory does not keep the others from being complete.
	enoughTries = 3
	// shortText is how many characters of a refused text are tried.
	shortText = 1000
	// probe is a text that each model has a vector for.
	probe = "memory"
)

// pause is until when nothing is done, and for how long the next one lasts.
type pause struct {
	until time.Time
	next  time.Duration
}

// after begins a pause after an error: twice the last one, or as long as the model asks for.
func (p *pause) after(now time.Time, err error) {
	p.next = min(max(2*p.next, firstPause), longestPause)
	asked := time.Duration(0)
	if fault := (*embed.Fault)(nil); errors.As(err, &fault) {
		asked = min(fault.RetryAfter, longestAsked)
	}
	p.until = now.Add(max(p.next, asked))
}

// job is a memory that was taken from the queue.
type job struct {
	id     loci.MemoryID
	due    int64
	tries  int
	text   string
	vector []float32
}

// take takes the next memories from the queue.
func (f *file) takeJobs(ctx context.Context, most int, now time.Time) (jobs []job, err error) {
	err = f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
		jobs = nil
		due := now.Add(claim).UnixMicro()
		err := c.Query("SELECT id, tries FROM queue WHERE due <= ? ORDER BY due, rowid LIMIT ?",
			sqlitedb.Args{now.UnixMicro(), most}, func(r *sqlitedb.Row) error {
				jobs = append(jobs, job{id: r.ID(0), tries: r.Int(1) + 1, due: due})
				return nil
			})
		for i := 0; i < len(jobs) && err == nil; i++ {
			err = c.Exec("UPDATE queue SET due = ?, tries = tries + 1 WHERE id = ?", due, [16]byte(jobs[i].id))
		}
		return err
	})
	return jobs, err
}

// work makes the vectors of the next memories in the queue. done reports whether it is empty, but for those that wait
// for another try.
func (o *org) work(ctx context.Context, m embed.Model, f *file) (done bool, err error) {
	jobs, err := f.takeJobs(ctx, o.batch(), o.Now())
	if err != nil {
		return false, err
	}
	if len(jobs) == 0 {
		return true, f.complete(ctx)
	}
	if err := o.readTexts(ctx, jobs); err != nil {
		return false, errors.Join(err, f.release(ctx, jobs, o.Now()))
	}
	err = o.embed(ctx, m, f, withText(jobs))
	o.did(err)
	if err != nil {
		return false, errors.Join(err, f.release(context.WithoutCancel(ctx), jobs, o.Now()))
	}
	return false, f.store(ctx, jobs, o.Now())
}

// pace is how fast a model works.
type pace struct {
	halved int // how often the size of a batch was halved
	well   int // batches that the model has done since it failed last
	done   int // batches that it has done in all
}

// wellDone is after how many batches a model that failed gets twice as many texts at a time.
const wellDone = 10

// batch is how many memories the model gets next.
func (o *org) batch() int { return batchSize >> o.paceNow().halved }

func (o *org) paceNow() pace {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.pace
}

// did lets a model that failed, perhaps because it is slow, have half as many texts the next time.
func (o *org) did(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := &o.pace
	if err != nil {
		p.well, p.halved = 0, min(p.halved+1, bits.Len(batchSize)-1)
		return
	}
	p.done++
	o.mute = pause{} // it works again
	if p.well++; p.well >= wellDone {
		p.well, p.halved = 0, max(p.halved-1, 0)
	}
}

// withText returns the jobs that have a text.
func withText(jobs []job) (list []*job) {
	for i := range jobs {
		if jobs[i].text != "" {
			list = append(list, &jobs[i])
		}
	}
	return list
}

// readTexts sets the texts of memories. One that is gone or cannot be found has none.
func (o *org) readTexts(ctx context.Context, jobs []job) error {
	at, ids := map[loci.MemoryID]int{}, make([]loci.MemoryID, len(jobs))
	for i, j := range jobs {
		at[j.id], ids[i] = i, j.id
	}
	return o.Store.View(ctx, o.id, func(tx store.Tx) error {
		list, err := tx.Rows().Read(ctx, ids)
		for _, m := range list {
			if m.DeletedAt.IsZero() && m.SupersededBy.IsZero() {
				jobs[at[m.ID]].text = recall.TextToEmbed(m)
			}
		}
		return err
	})
}

// embed sets the vectors of the texts. If the model cannot do some texts together, it gets each half of them, and of
// one text only the beginning. So a text that the model refuses, fails at, or takes too long for does not keep the
// others from having theirs.
func (o *org) embed(ctx context.Context, m embed.Model, f *file, jobs []*job) error {
	texts := make([]string, len(jobs))
	for i, j := range jobs {
		texts[i] = j.text
	}
	list, err := o.vectorsOf(ctx, m, f, texts)
	if err != nil && len(jobs) == 1 && o.byText(ctx, m, err) {
		list, err = o.vectorsOf(ctx, m, f, []string{loci.Shorten(texts[0], shortText)})
	}
	switch {
	case err == nil:
		for i, vector := range list {
			jobs[i].vector = vector
		}
		return nil
	case !o.byText(ctx, m, err):
		return err
	case len(jobs) == 1:
		return nil // it waits for another try
	}
	half := len(jobs) / 2
	if err := o.embed(ctx, m, f, jobs[:half]); err != nil {
		return err
	}
	return o.embed(ctx, m, f, jobs[half:])
}

// byText reports whether a fault is due to the texts: the model refuses them, or it still answers for another one.
func (o *org) byText(ctx context.Context, m embed.Model, err error) bool {
	var fault *embed.Fault
	if !errors.As(err, &fault) || ctx.Err() != nil {
		return false
	}
	if fault.Refused || fault.RetryAfter > 0 {
		return fault.Refused
	}
	_, err = m.Embed(ctx, embed.Document, []string{probe})
	return err == nil
}

var errOtherNumber = errors.New("the model returned another number of vectors than of texts")

// vectorsOf asks the model, and rejects vectors of other dimensions than those of the file. The next round then has
// another file.
func (o *org) vectorsOf(ctx context.Context, m embed.Model, f *file, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	list, err := m.Embed(ctx, embed.Document, texts)
	if err != nil {
		return nil, err
	}
	if len(list) != len(texts) {
		return nil, errOtherNumber
	}
	for _, v := range list {
		if len(v) != f.name.dims {
			o.mu.Lock()
			o.learn(m.Name(), len(v))
			o.mu.Unlock()
			return nil, loci.Errorf(loci.Upstream,
				"the model %s now returns %d dimensions instead of %d; Loci makes all vectors again", m.Name(), len(v),
				f.name.dims)
		}
	}
	return list, nil
}

// store stores vectors, and takes their memories from the queue. A memory that was put into the queue again meanwhile
// stays there.
func (f *file) store(ctx context.Context, jobs []job, now time.Time) error {
	return f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
		for _, j := range jobs {
			mine := false
			_, err := c.One("SELECT 1 FROM queue WHERE id = ? AND due = ?", sqlitedb.Args{[16]byte(j.id), j.due},
				func(*sqlitedb.Row) error { mine = true; return nil })
			switch {
			case err != nil:
				return err
			case !mine:
				continue
			case j.text != "" && j.vector == nil:
				err = j.wait(c, now)
			default:
				if j.vector != nil {
					err = put(c, j.id, hashOf(j.text), j.vector)
				}
				if err == nil {
					err = c.Exec("DELETE FROM queue WHERE id = ?", [16]byte(j.id))
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// wait lets a memory that the model refused wait for another try.
func (j *job) wait(c *sqlitedb.Conn, now time.Time) error {
	pause := min(firstPause<<min(j.tries, 20), longestRefusal)
	return c.Exec("UPDATE queue SET due = ? WHERE id = ? AND due = ?", now.Add(pause).UnixMicro(), [16]byte(j.id), j.due)
}

// release gives memories back to the queue.
func (f *file) release(ctx context.Context, jobs []job, now time.Time) error {
	return f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
		for _, j := range jobs {
			if err := c.Exec("UPDATE queue SET due = ?, tries = ? WHERE id = ? AND due = ?", now.UnixMicro(), j.tries-1,
				[16]byte(j.id), j.due); err != nil {
				return err
			}
		}
		return nil
	})
}

// complete notes that each memory has its vector, unless some have not been tried often enough.
func (f *file) complete(ctx context.Context) error {
	s, err := f.state(ctx)
	if err != nil || s.complete || !s.begun || s.walking {
		return err
	}
	return f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("UPDATE state SET complete = 1 WHERE begun AND NOT walking AND NOT EXISTS "+
			"(SELECT 1 FROM queue WHERE tries < ?)", enoughTries)
	})
}
