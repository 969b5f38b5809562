package embedded

import (
	"bytes"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// method is a way to search a source.
type method func(src *source, ctx context.Context, s span, desc bool, fn visit) error

func (m method) on(src *source) func(context.Context, span, bool, visit) error {
	return func(ctx context.Context, s span, desc bool, fn visit) error { return m(src, ctx, s, desc, fn) }
}

// leap returns a search of a source that visits only the rows with these ids.
func leap(ids []loci.EventID) method {
	ids = slices.SortedFunc(slices.Values(ids), func(a, b loci.EventID) int { return bytes.Compare(a[:], b[:]) })
	return func(src *source, ctx context.Context, s span, desc bool, fn visit) error {
		list := slices.DeleteFunc(slices.Compact(slices.Clone(ids)), func(id loci.EventID) bool { return !s.has(id) })
		if desc {
			slices.Reverse(list)
		}
		l := leaper{src: src, ids: list, desc: desc, fn: fn, budget: mostMisses}
		return l.walk(ctx, s)
	}
}

// leaper walks through the rows of a source and a list of ids, and always moves on where it is behind.
type leaper struct {
	src    *source
	ids    []loci.EventID // that are left
	desc   bool
	fn     visit
	over   bool // there are no more rows, or fn wants none
	budget int  // how many rows in a row without one of the ids it reads before it looks for the next id
	visits int
}

const (
	// mostMisses is the largest budget. To look for an id costs as much as to read some more rows. The
	// budget shrinks when looking would have been better.
	mostMisses = 4
	// tryAgain is after how many rows a walk with a small budget tries a large one.
	tryAgain = 32
)

// walk visits the rows of s that have one of the ids.
func (l *leaper) walk(ctx context.Context, s span) error {
	for jumps := 1; len(l.ids) > 0 && !l.over; jumps++ {
		if jumps%checkRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		place := l.ids[0]
		if l.desc {
			place = past(place, false)
		}
		misses, jump := 0, false
		err := l.src.scan(ctx, s.rest(place, l.desc), l.desc, func(src *source, r *sqlitedb.Row) (bool, error) {
			id := idOf(r)
			l.pass(id)
			if len(l.ids) > 0 && l.ids[0] == id {
				misses = 0
				return l.visit(src, r)
			}
			misses++
			jump = misses > l.budget
			return len(l.ids) > 0 && !jump, nil
		})
		if err != nil {
			return err
		}
		if jump {
			l.budget /= 2
		} else {
			l.over = true
		}
	}
	return nil
}

// pass drops the ids that come before one.
func (l *leaper) pass(id loci.EventID) {
	for len(l.ids) > 0 && l.ids[0] != id && less(l.ids[0], id) != l.desc {
		l.ids = l.ids[1:]
	}
}

func (l *leaper) visit(src *source, r *sqlitedb.Row) (more bool, err error) {
	if l.visits++; l.visits%tryAgain == 0 {
		l.budget = mostMisses
	}
	l.ids = l.ids[1:]
	more, err = l.fn(src, r)
	return more && len(l.ids) > 0, err
}
