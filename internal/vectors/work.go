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
)

// These say how the queue is worked off.
const (
	// batchSize is how many memories a model gets at a time, unless it fails.
	batchSize = 64
	// slowBatch is how long a model may work at a batch before it gets fewer memories at a time: orgs take turns, and a
	// claim ends.
	slowBatch = 10 * time.Second
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
	Job
	known  bool // text and gone are what the org has
	gone   bool // the memory does not exist any more
	text   string
	tried  bool // the model has no vector for the text alone
	vector []float32
}

// work makes the vectors of the next memories in the queue. done reports whether it is empty, but for those that wait
// for another try.
func (o *org) work(ctx context.Context, m embed.Model, set Set, dims int) (done bool, err error) {
	now := o.Now()
	taken, err := set.Take(ctx, o.batch(), now, now.Add(claim))
	if err != nil {
		return false, err
	}
	if len(taken) == 0 {
		return complete(ctx, set)
	}
	jobs := make([]job, len(taken))
	for i, j := range taken {
		jobs[i].Job = j
	}
	err = o.readTexts(ctx, jobs)
	if err == nil {
		halved := 0
		halved, err = o.embed(ctx, m, dims, withText(jobs))
		if halved == 0 && o.Now().Sub(now) > slowBatch {
			halved = 1
		}
		o.did(halved, err)
	}
	results, now := make([]Result, len(jobs)), o.Now()
	for i := range jobs {
		results[i] = jobs[i].result(now)
	}
	// Also if the process is about to stop: what a model has made may have cost money.
	return false, errors.Join(err, set.Finish(context.WithoutCancel(ctx), results))
}

// result returns what became of a job. A memory without a vector waits for another try.
func (j *job) result(now time.Time) Result {
	r := Result{Job: j.Job, Gone: j.gone}
	switch {
	case j.tried:
		pause := min(firstPause<<min(j.Tries, 20), longestRefusal)
		r.Back = &Job{Due: now.Add(pause), Tries: j.Tries}
	case !j.known, j.text != "" && j.vector == nil: // the try did not come to it
		r.Back = &Job{Due: now, Tries: j.Tries - 1}
	case j.vector != nil:
		r.Vector, r.Hash = j.vector, hashOf(j.text)
	}
	return r
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
		at[j.ID], ids[i] = i, j.ID
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
func (o *org) embed(ctx context.Context, m embed.Model, dims int, jobs []*job) (halved int, err error) {
	for {
		made, err := o.embedAll(ctx, m, dims, jobs, math.MaxInt)
		if err == nil || !o.byText(ctx, m, err) {
			return halved, err
		}
		if len(jobs) == 1 { // it is the text, however fast the model is
			_, err = o.embedAll(ctx, m, dims, jobs, shortText)
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
func (o *org) embedAll(ctx context.Context, m embed.Model, dims int, jobs []*job, most int) (made int, err error) {
	texts := make([]string, len(jobs))
	for i, j := range jobs {
		if texts[i] = j.text; len(j.text) > most {
			texts[i] = loci.Shorten(j.text, most)
		}
	}
	list, err := o.vectorsOf(ctx, m, dims, texts)
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

// vectorsOf asks the model, and rejects vectors of other dimensions than those of the set. The next round then has
// another set.
func (o *org) vectorsOf(ctx context.Context, m embed.Model, dims int, texts []string) ([][]float32, error) {
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
		if len(v) != dims {
			o.mu.Lock()
			o.learn(m.Name(), len(v))
			o.mu.Unlock()
			return nil, loci.Errorf(loci.Upstream,
				"the model %s now returns %d dimensions instead of %d; Loci makes all vectors again", m.Name(), len(v),
				dims)
		}
	}
	return list, err
}

// complete records that each memory has its vector, unless some have not been tried often enough. ok is false if the
// set has changed meanwhile.
func complete(ctx context.Context, set Set) (ok bool, err error) {
	s, err := set.Progress(ctx)
	if err != nil || s.Complete || !s.Begun || s.Walking {
		return true, err
	}
	untried := false
	err = set.Queue(ctx, func(j Job) error {
		untried = untried || j.Tries < enoughTries
		return nil
	})
	if err != nil || untried {
		return true, err
	}
	next := s
	next.Complete = true
	return set.Advance(ctx, s, next, nil)
}
