package vectors

import (
	"context"
	"errors"
	"math"
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
	known  bool // text and gone are what the org has
	gone   bool // the memory does not exist any more
	text   string
	tried  bool // the model has no vector for the text alone
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
	err = o.readTexts(ctx, jobs)
	if err == nil {
		halved := 0
		halved, err = o.embed(ctx, m, f, withText(jobs))
		o.did(halved, err)
	}
	// Also if the process is about to stop: what a model has made may have cost money.
	return false, errors.Join(err, f.store(context.WithoutCancel(ctx), jobs, o.Now()))
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

// did lets a model that failed, perhaps because it is slow, have half as many texts the next time, or as few as it
// could do in the end.
func (o *org) did(halved int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := &o.pace
	if err != nil {
		halved = max(halved, 1)
	} else {
		p.done++
		o.mute = pause{} // it works again
	}
	if halved > 0 {
		p.well, p.halved = 0, min(p.halved+halved, bits.Len(batchSize)-1)
		return
	}
	if p.well++; p.well >= wellDone {
		p.well, p.halved = 0, max(p.halved-1, 0)
	}
}

func withText(jobs []job) (list []*job) {
	for i := range jobs {
		if jobs[i].text != "" {
			list = append(list, &jobs[i])
		}
	}
	return list
}

// readTexts sets the texts of memories. One that cannot be found has none.
func (o *org) readTexts(ctx context.Context, jobs []job) error {
	at, ids := map[loci.MemoryID]int{}, make([]loci.MemoryID, len(jobs))
	for i, j := range jobs {
		at[j.id], ids[i] = i, j.id
	}
	return o.Store.View(ctx, o.id, func(tx store.Tx) error {
		list, err := tx.Rows().Read(ctx, ids)
		for i := range jobs {
			jobs[i].known, jobs[i].gone = err == nil, true
		}
		for _, m := range list {
			jobs[at[m.ID]].gone = false
			if m.DeletedAt.IsZero() && m.SupersededBy.IsZero() {
				jobs[at[m.ID]].text = recall.TextToEmbed(m)
			}
		}
		return err
	})
}

// embed sets the vectors of the texts. If the model cannot do some texts together, it gets the first half of them, and
// the others wait for the next batch. Of one text it gets only the beginning then. So a text that the model refuses,
// fails at, or takes too long for does not keep the others from having theirs. halved is how often a batch was halved
// because it perhaps took too long.
func (o *org) embed(ctx context.Context, m embed.Model, f *file, jobs []*job) (halved int, err error) {
	for {
		made, err := o.embedAll(ctx, m, f, jobs, math.MaxInt)
		if err == nil || !o.byText(ctx, m, err) {
			return halved, err
		}
		if len(jobs) == 1 { // it is the text, however fast the model is
			_, err = o.embedAll(ctx, m, f, jobs, shortText)
			if jobs[0].tried = err != nil; jobs[0].tried && !o.byText(ctx, m, err) {
				jobs[0].tried = false
				return 0, err
			}
			return 0, nil
		}
		if fault := (*embed.Fault)(nil); !errors.As(err, &fault) || !fault.Refused {
			halved++
		}
		if made > 0 {
			return halved, nil
		}
		jobs = jobs[:len(jobs)/2]
	}
}

// embedAll asks the model once, about so many characters of each text. It returns how many vectors that made, also if
// the model failed at others.
func (o *org) embedAll(ctx context.Context, m embed.Model, f *file, jobs []*job, most int) (made int, err error) {
	texts := make([]string, len(jobs))
	for i, j := range jobs {
		if texts[i] = j.text; len(j.text) > most {
			texts[i] = loci.Shorten(j.text, most)
		}
	}
	list, err := o.vectorsOf(ctx, m, f, texts)
	for i, vector := range list {
		if jobs[i].vector = vector; vector != nil {
			made++
		}
	}
	return made, err
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
	if err == nil && len(list) != len(texts) || len(list) > len(texts) {
		return nil, errOtherNumber
	}
	for _, v := range list {
		if v == nil {
			continue // it failed before this one
		}
		if len(v) != f.name.dims {
			o.mu.Lock()
			o.learn(m.Name(), len(v))
			o.mu.Unlock()
			return nil, loci.Errorf(loci.Upstream,
				"the model %s now returns %d dimensions instead of %d; Loci makes all vectors again", m.Name(), len(v),
				f.name.dims)
		}
	}
	return list, err
}

// store stores vectors, and takes their memories from the queue. Those without one go back. A memory that was put into
// the queue again meanwhile stays there.
func (f *file) store(ctx context.Context, jobs []job, now time.Time) error {
	return f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
		for _, j := range jobs {
			mine, err := c.One("SELECT 1 FROM queue WHERE id = ? AND due = ?", sqlitedb.Args{[16]byte(j.id), j.due},
				func(*sqlitedb.Row) error { return nil })
			if err == nil && mine {
				err = j.store(c, now)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (j *job) store(c *sqlitedb.Conn, now time.Time) error {
	switch {
	case j.tried:
		return j.wait(c, now)
	case !j.known, j.text != "" && j.vector == nil: // the try did not come to it
		return c.Exec("UPDATE queue SET due = ?, tries = ? WHERE id = ?", now.UnixMicro(), j.tries-1, [16]byte(j.id))
	case j.gone:
		return remove(c, j.id)
	}
	if j.vector != nil {
		if err := put(c, j.id, hashOf(j.text), j.vector); err != nil {
			return err
		}
	}
	return c.Exec("DELETE FROM queue WHERE id = ?", [16]byte(j.id))
}

// wait lets a memory that the model refused wait for another try.
func (j *job) wait(c *sqlitedb.Conn, now time.Time) error {
	pause := min(firstPause<<min(j.tries, 20), longestRefusal)
	return c.Exec("UPDATE queue SET due = ? WHERE id = ? AND due = ?", now.Add(pause).UnixMicro(), [16]byte(j.id), j.due)
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
