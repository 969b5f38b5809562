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

// The last attempt reads texts, because no index covers it. It reads from the newest row on until
// its time is over, and ranks some of the matches.
const (
	maxLooked    = 1_000_000
	maxContained = 200
)

// maxRead is how many memories are read to look whether they contain a text whose signs they have. More are walked
// through, until enough of them contain it.
const maxRead = 500

// findAt searches memories as they were at another time, the trash, or what has expired. Those that the list has
// become an index in memory, which is asked as the index of what holds now is.
func (f *finder) findAt() error {
	rows := indexing.NewSelection()
	if err := f.selectRows(rows); err != nil {
		return err
	}
	var err error
	if f.index, err = rows.Snapshot(f.stopped == ""); err != nil {
		return err
	}
	return f.findIn(nil, false)
}

// listed is how many memories are read at a time.
const listed = 100

// selectRows adds the newest memories of the list, as many as two thirds of the remaining time allow. To make the index
// of them takes half as long as to read them.
func (f *finder) selectRows(to *indexing.Selection) error {
	ctx, cancel := context.WithTimeoutCause(f.ctx, time.Until(f.until)*2/3, loci.ErrSpent)
	defer cancel()
	for q := (store.ListQuery{Filter: f.filter, Limit: listed}); f.memories; {
		page, err := f.tx.Lists().List(ctx, f.v, q)
		for i := 0; i < len(page.Memories) && ctx.Err() == nil; i++ {
			to.Add(page.Memories[i])
		}
		switch q.After = page.Next; {
		case loci.Spent(ctx):
			f.stopped = StoppedByTime
			return nil
		case err != nil || page.Next == "":
			return err
		case to.Len() >= maxMatches:
			f.stopped = StoppedByRows
			return nil
		}
	}
	return nil
}

// findParts is the last attempt: it reads texts, and finds those that contain the words anywhere. An index with all
// memories, which may be nil, and its answer tell which texts are in no memory.
func (f *finder) findParts(q *recall.Question, index *indexing.Snapshot, answer *recall.Answer) error {
	f.anywhere = q.Anywhere()
	var ids []loci.MemoryID
	texts := f.anywhere.Texts()
	for i, text := range texts {
		found, err := f.withText(index, answer, text, len(texts)-i)
		if err != nil {
			return err
		}
		ids = append(ids, found...)
	}
	memories, err := readAt(f.ctx, f.tx, f.v, loci.Unique(ids), &f.filter)
	hits := f.anywhere.Rank(memories)
	f.total, f.next = len(hits), f.offset+f.limit < len(hits)
	f.hits = hits[min(f.offset, len(hits)):min(f.offset+f.limit, len(hits))]
	return err
}

// withText returns the memories that pass the filter and contain a text, and maybe others. Only if the index cannot
// tell which these are, it reads texts, for a share of the remaining time.
func (f *finder) withText(index *indexing.Snapshot, answer *recall.Answer, text string, share int) (
	[]loci.MemoryID, error) {
	if index != nil {
		if answer != nil && answer.Covers(text) {
			return nil, nil
		}
		if ids, ok := index.Containing(f.v, f.service.Time(), text, maxRead); ok {
			if f.filter.IsAll() || len(ids) == 0 {
				return ids, nil
			}
			return f.tx.Lists().Passing(f.ctx, f.v, f.filter, ids)
		}
	}
	found, err := f.lookInto(text, share)
	return found.IDs, err
}

// lookInto returns the newest memories that contain text, as many as its share of the remaining time allows.
func (f *finder) lookInto(text string, share int) (store.Contained, error) {
	ctx, cancel := f.within(share)
	defer cancel()
	found, err := f.tx.Lists().Contains(ctx, f.v,
		store.ContainsQuery{Filter: f.filter, Text: text, Look: maxLooked, Limit: maxContained})
	switch {
	case found.Cut:
		f.stopped = StoppedByTime
	case found.More && len(found.IDs) == maxContained:
		f.more = true
	case found.More && f.stopped == "":
		f.stopped = StoppedByRows
	}
	return found, err
}
