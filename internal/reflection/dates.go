package reflection

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci/internal/language"
)

// dueOf returns the words of a unit that say when, and the day that they mean if the note says when it was written.
func (x *extractor) dueOf(u *unit) (at span, value string) {
	toks := x.toks[u.block][u.from:u.to]
	for i := range toks {
		last, day := x.day(toks, i)
		if last < i {
			continue
		}
		at = span{toks[i].start, toks[last].end}
		if i > 0 && is(toks[i-1].form, roleBeforeDay) {
			at.start = toks[i-1].start
		}
		value = x.text[toks[i].start:at.end]
		if !day.IsZero() {
			value = day.Format(time.DateOnly)
		}
		return at, value
	}
	return span{}, ""
}

// day returns the last token of the day that begins at a token, -1 if none does there.
func (x *extractor) day(toks []token, i int) (last int, day time.Time) {
	t := &toks[i]
	now := x.note.At
	fold := language.Fold(t.form)
	switch t.kind {
	case number:
		if d, err := time.Parse(time.DateOnly, t.form); err == nil {
			return i, d
		}
		return x.dayAndMonth(toks, i)
	case ideograph:
		return x.unspacedDay(toks, i)
	case word:
	default:
		return -1, day
	}
	if n, ok := language.DaysAhead(fold); ok {
		return i, after(now, n)
	}
	if weekday, ok := language.WeekdayOf(fold); ok {
		return i, next(now, weekday)
	}
	if month := language.MonthOf(fold); month > 0 && i+1 < len(toks) && toks[i+1].kind == number && len(fold) > 2 {
		if n, err := strconv.Atoi(toks[i+1].form); err == nil && n >= 1 && n <= 31 {
			return i + 1, yearly(now, month, n)
		}
	}
	return -1, day
}

// dayAndMonth reads "9 Feb", "20. März" and "8 de abril".
func (x *extractor) dayAndMonth(toks []token, i int) (last int, day time.Time) {
	n, err := strconv.Atoi(toks[i].form)
	if err != nil || n < 1 || n > 31 {
		return -1, day
	}
	k := i + 1
	for k < len(toks) && k < i+3 && (toks[k].form == "." || toks[k].form == "de" || toks[k].form == "th" ||
		toks[k].form == "of") {
		k++
	}
	if k >= len(toks) || toks[k].kind != word || len(toks[k].form) < 3 {
		return -1, day
	}
	if month := language.MonthOf(language.Fold(toks[k].form)); month > 0 {
		return k, yearly(x.note.At, month, n)
	}
	return -1, day
}

// unspacedDay reads 金曜 or 下周三.
func (x *extractor) unspacedDay(toks []token, i int) (last int, day time.Time) {
	rest := x.text[toks[i].start:toks[len(toks)-1].end]
	longest := ""
	for name := range language.UnspacedDays {
		if len(name) > len(longest) && strings.HasPrefix(rest, name) {
			longest = name
		}
	}
	if longest == "" {
		return -1, day
	}
	last = i
	for last+1 < len(toks) && toks[last+1].end <= toks[i].start+len(longest) {
		last++
	}
	if n, ok := language.DaysAhead(language.Fold(longest)); ok {
		return last, after(x.note.At, n)
	}
	weekday, _ := language.WeekdayOf(language.Fold(longest))
	return last, next(x.note.At, weekday)
}

func after(now time.Time, days int) time.Time {
	if now.IsZero() {
		return now
	}
	return now.AddDate(0, 0, days)
}

// next returns the next day with a name after now.
func next(now time.Time, day time.Weekday) time.Time {
	if now.IsZero() {
		return now
	}
	n := cmp.Or((int(day)-int(now.Weekday())+7)%7, 7)
	return now.AddDate(0, 0, n)
}

// yearly returns a day in the year of now, or in the next one if it is long past.
func yearly(now time.Time, month, day int) time.Time {
	if now.IsZero() {
		return now
	}
	d := time.Date(now.Year(), time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if now.Sub(d) > 180*24*time.Hour {
		d = d.AddDate(1, 0, 0)
	}
	return d
}
