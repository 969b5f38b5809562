// Package fair shares what is scarce among those who ask for it: the writer of a file, processors,
// memory, places at an endpoint. Each credential waits in a line. The line that has used least comes
// next, so a credential that asks for much delays itself and not others.
//
// The package decides only when work is done, never what may be done. It imports nothing of the module.
package fair

import "context"

type lineKey struct{}

// In returns a context whose work waits in the line of who.
func In(ctx context.Context, who string) context.Context {
	return context.WithValue(ctx, lineKey{}, who)
}

// Line returns the line of ctx. "" is the line of the server's own work.
func Line(ctx context.Context) string {
	who, _ := ctx.Value(lineKey{}).(string)
	return who
}

// Lines has items that wait, each in a line. It is start-time fair queuing: an item starts, on a clock that the items
// drive, when its line has paid for the items before it. The zero value is empty. The caller guards it with a lock.
type Lines[T any] struct {
	lines map[string]*line[T]
	now   int64
}

type line[T any] struct {
	waiting []item[T]
	paid    int64 // until when the items so far reach
	last    int64 // the cost of the last one
}

type item[T any] struct {
	value T
	from  int64 // when it came
}

// starts is when the first item of the line may start.
func (l *line[T]) starts() int64 { return max(l.waiting[0].from, l.paid) }

// Add puts v at the end of the line of who, and returns how many wait there.
func (ls *Lines[T]) Add(who string, v T) int {
	l := ls.of(who)
	ls.now++ // so that those who use nothing keep their order
	l.waiting = append(l.waiting, item[T]{v, ls.now})
	return len(l.waiting)
}

func (ls *Lines[T]) of(who string) *line[T] {
	if ls.lines == nil {
		ls.lines = map[string]*line[T]{}
	}
	if ls.lines[who] == nil {
		ls.lines[who] = &line[T]{}
	}
	return ls.lines[who]
}

// Next removes the item that starts next, of those first in their lines that may. last is what the last item of such
// a line has cost. ok is false if there is none. The caller calls Done when the item has ended.
func (ls *Lines[T]) Next(may func(who string, first T, last int64) bool) (who string, v T, ok bool) {
	var best *line[T]
	for name, l := range ls.lines {
		switch {
		case len(l.waiting) == 0 && l.paid <= ls.now:
			delete(ls.lines, name)
		case len(l.waiting) == 0 || !may(name, l.waiting[0].value, l.last):
		case best == nil || l.starts() < best.starts():
			who, best = name, l
		}
	}
	if best == nil {
		return "", v, false
	}
	v, best.paid = best.waiting[0].value, best.starts()
	best.waiting = append(best.waiting[:0:0], best.waiting[1:]...)
	ls.now = max(ls.now, best.paid)
	return who, v, true
}

// Done ends an item of who that has cost so much.
func (ls *Lines[T]) Done(who string, cost int64) {
	l := ls.of(who)
	l.last, l.paid = cost, max(l.paid, ls.now)+cost
}
