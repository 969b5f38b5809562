package memory

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// maxMatches is how many hits are looked at for those that pass a broad filter, and how many of the newest memories a
// search of another time reads.
const maxMatches = 10_000

// maxContained is how many memories the last attempt collects, if no index can tell which contain the texts.
const maxContained = 200

// maxRead is how many memories are read to look whether they contain a text whose signs they have. More are walked
// through, until enough of them contain it.
const maxRead = 500

// findAt searches memories as they were at another time, the trash, or what has expired. Those that the list has
// become an index in memory, which is asked as the index of what holds now is.
func (f *finder) findAt() error {
	var kept bool
	if f.index, kept = f.service.selections.Get(f.listing, f.service.Time()); !kept {
		if err := f.selectRows(); err != nil {
			return err
		}
	} else if !f.index.Whole {
		f.stopped = StoppedByRows
	}
	return f.findIn(nil, false)
}

// listed is how many memories are read at a time.
const listed = 100

// selectRows makes an index of the newest memories of the list, as many as two thirds of the remaining time allow. To
// make it takes half as long as to read them.
func (f *finder) selectRows() (err error) {
	to := indexing.NewSelection()
	if !f.memories {
		f.index, err = to.Snapshot(true)
		return err
	}
	ctx, cancel := context.WithTimeoutCause(f.ctx, time.Until(f.until)*2/3, loci.ErrSpent)
	defer cancel()
	err = f.walk(ctx, func(m *loci.Memory) bool {
		if to.Len() == maxMatches {
			f.stopped = StoppedByRows
			return false
		}
		to.Add(m)
		return true
	})
	if err == nil {
		f.index, err = to.Snapshot(f.stopped == "")
	}
	if err == nil && f.stopped != StoppedByTime {
		f.service.selections.Put(f.listing, to, f.index)
	}
	return err
}

// walk calls add with the memories of the list, newest first, until it returns false or the time of ctx is over.
func (f *finder) walk(ctx context.Context, add func(*loci.Memory) bool) error {
	for q := (store.ListQuery{Filter: f.filter, Limit: listed}); ; {
		page, err := f.tx.Lists().List(ctx, f.v, q)
		for i := 0; i < len(page.Memories) && !loci.Spent(ctx); i++ {
			if !add(page.Memories[i]) {
				return nil
			}
		}
		switch q.After = page.Next; {
		case loci.Spent(ctx):
			f.stopped = StoppedByTime
			return nil
		case err != nil || page.Next == "":
			return err
		}
	}
}

// findParts is the last attempt: it finds texts that contain the words anywhere. An index with all memories and its
// answer, which may be nil, tell which texts are in few memories or none. Memories are read for the others.
func (f *finder) findParts(q *recall.Question, answer *recall.Answer) error {
	f.anywhere = q.Anywhere()
	var ids []loci.MemoryID
	var untold []string
	for _, text := range f.anywhere.Texts() {
		if f.index.Whole && answer != nil && answer.Covers(text) {
			continue
		}
		if found, ok := f.index.Containing(f.v, f.service.Time(), text, maxRead); ok && f.index.Whole {
			ids = append(ids, found...)
		} else {
			untold = append(untold, text)
		}
	}
	if len(ids) > 0 && !f.filter.IsAll() {
		var err error
		if ids, err = f.tx.Lists().Passing(f.ctx, f.v, f.filter, ids); err != nil {
			return err
		}
	}
	more, err := f.containing(untold)
	if err != nil {
		return err
	}
	memories, err := readAt(f.ctx, f.tx, f.v, loci.Unique(append(ids, more...)), &f.filter)
	hits := f.anywhere.Rank(memories)
	f.total, f.next = len(hits), f.offset+f.limit < len(hits)
	f.hits = hits[min(f.offset, len(hits)):min(f.offset+f.limit, len(hits))]
	return err
}

// containing returns the newest memories that pass the filter and contain one of the texts, as many as the remaining
// time allows, at most maxContained.
func (f *finder) containing(texts []string) (ids []loci.MemoryID, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithDeadlineCause(f.ctx, f.until, loci.ErrSpent)
	defer cancel()
	err = f.walk(ctx, func(m *loci.Memory) bool {
		if !f.anywhere.Has(m, texts) {
			return true
		}
		if f.more = len(ids) == maxContained; !f.more {
			ids = append(ids, m.ID)
		}
		return !f.more
	})
	return ids, err
}
