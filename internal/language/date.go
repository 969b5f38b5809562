package language

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// months maps the folded names of months to their numbers.
var months = sync.OnceValue(func() map[string]int {
	return folded("months", 0, func(i int, _ []string) int { return i + 1 })
})

// numericDate appends a date in digits, and reports whether it is one: 2026-05-14, 14.05.2026,
// 14/05/2026. Where the day and the month could be exchanged, both are meant.
func (a *Analyzer) numericDate(d *digits, start, end int) bool {
	if d.n != 3 || d.seps[0] != d.seps[1] || d.seps[0] == ',' || d.seps[0] == ':' {
		return false
	}
	first, second, third := atoi(d.groups[0]), atoi(d.groups[1]), atoi(d.groups[2])
	at := date{start: start, end: end, position: a.position}
	switch {
	case len(d.groups[0]) == 4 && validDate(second, third):
		at.year, at.month, at.day = first, second, third
	case len(d.groups[2]) != 4 || len(d.groups[0]) > 2 || len(d.groups[1]) > 2:
		return false
	case validDate(second, first):
		at.year, at.month, at.day = third, second, first
	case validDate(first, second) && d.seps[0] == '/':
		at.year, at.month, at.day = third, first, second
	default:
		return false
	}
	a.beside(a.form(fmt.Sprintf("%04d", at.year)), start, end, at.position)
	a.dateTokens(at)
	if d.seps[0] == '/' && len(d.groups[2]) == 4 && at.month == second && validDate(first, second) && first != second {
		at.month, at.day = at.day, at.month
		a.dateTokens(at)
	}
	a.position = at.position + 1
	return true
}

func validDate(month, day int) bool { return month >= 1 && month <= 12 && day >= 1 && day <= 31 }

// timestamp appends the date and the time of an ISO 8601 timestamp.
func (a *Analyzer) timestamp(d *digits, start, end int) bool {
	day := digits{groups: d.groups, seps: d.seps, n: d.n}
	if !a.numericDate(&day, start, end) {
		return false
	}
	clock := readDigits(d.rest[1:])
	if clock.n >= 2 && clock.seps[0] == ':' && atoi(clock.groups[0]) < 24 && atoi(clock.groups[1]) < 60 {
		a.emit(timeForm(60*atoi(clock.groups[0])+atoi(clock.groups[1])), start, end)
	}
	return true
}

// dateTokens appends the terms of a date: with the year if it is known, and without.
func (a *Analyzer) dateTokens(d date) {
	if d.year > 0 && d.day > 0 {
		a.beside(dayForm(d.year, d.month, d.day), d.start, d.end, d.position)
	}
	if d.year > 0 {
		a.beside(monthForm(d.year, d.month), d.start, d.end, d.position)
	}
	if d.day > 0 {
		a.beside(fmt.Sprintf("%02d-%02d", d.month, d.day), d.start, d.end, d.position)
	}
}

func dayForm(year, month, day int) string { return fmt.Sprintf("%04d-%02d-%02d", year, month, day) }

func monthForm(year, month int) string { return fmt.Sprintf("%04d-%02d", year, month) }

// monthAfter appends the date of "14 May" if form, which follows a number, is a month.
func (a *Analyzer) monthAfter(form string, end int) {
	month, day := months()[form], 0
	if month == 0 || len(a.number.form) > 2 {
		return
	}
	if day = atoi(a.number.form); !validDate(month, day) {
		return
	}
	a.date = date{start: a.number.start, end: end, position: a.number.position, month: month, day: day}
	a.dateTokens(a.date)
}

// datePart appends the date that a number completes: "May 14", and the year after it. Month is what
// precedes the number, or 0.
func (a *Analyzer) datePart(month, start, end int) {
	value := atoi(a.number.form)
	year := len(a.number.form) == 4 && value >= 1000
	switch {
	case year && start-a.date.end <= maxGap && a.date.end > far:
		// The date without the year is there, at its own position.
		a.beside(dayForm(value, a.date.month, a.date.day), a.date.start, end, a.number.position)
		a.beside(monthForm(value, a.date.month), a.date.start, end, a.number.position)
		a.date.end = far
	case month == 0:
	case year:
		a.dateTokens(date{start: start, end: end, position: a.number.position, year: value, month: month})
	case len(a.number.form) <= 2 && validDate(month, value):
		a.date = date{start: start, end: end, position: a.number.position, month: month, day: value}
		a.dateTokens(a.date)
	}
}

// unitAfter reads the character that follows a number in Chinese, Japanese or Korean: 2026年5月14日, 下午3点, 85公斤.
func (a *Analyzer) unitAfter(i int) {
	n := a.number
	r, size := utf8.DecodeRuneInString(a.text[i:])
	end := i + size
	switch r {
	case '年', '년':
		if len(n.form) == 4 {
			a.date = date{start: n.start, position: n.position, year: atoi(n.form), end: end}
		}
	case '月', '월':
		d := date{start: n.start, position: n.position}
		if n.start-a.date.end <= maxGap && a.date.month == 0 {
			d = a.date
		}
		if month := atoi(n.form); validDate(month, 1) {
			d.month, d.end = month, end
			a.date = d
		}
	case '日', '일', '号', '號':
		if d := a.date; n.start-d.end <= maxGap && d.month > 0 && validDate(d.month, atoi(n.form)) {
			d.day, d.end, d.position = atoi(n.form), end, n.position
			a.date.end = far
			a.dateTokens(d)
		}
	case '点', '點', '時', '时', '시':
		a.hourAfter(end)
	default:
		a.quantity(i)
	}
}

// hourAfter appends the time of "下午3点" and the like.
func (a *Analyzer) hourAfter(end int) {
	n := a.number
	if n.minutes < 0 {
		return
	}
	before := strings.TrimRight(a.text[max(0, n.start-12):n.start], " ")
	minutes := n.minutes
	if minutes < 12*60 {
		for _, word := range [...]string{"下午", "午後", "晚上", "오후"} {
			if strings.HasSuffix(before, word) {
				minutes += 12 * 60
			}
		}
	}
	a.beside(timeForm(minutes), n.start, end, n.position)
}

// quantity appends the quantity if a unit is at i, right after the last number.
func (a *Analyzer) quantity(i int) {
	rest := a.text[i:]
	for end := range rest {
		if end > 12 {
			return
		}
		if unit := units()[fold(rest[:end])]; unit != "" {
			a.beside(cut(a.number.form+unit), a.number.start, i+end, a.number.position)
			return
		}
	}
}

// Unit is a unit of time.
type Unit int

// The units.
const (
	NoUnit Unit = iota
	Day
	Week
	Month
	Year
)

// Relative is what a word says about a time relative to now.
type Relative struct {
	Unit   Unit
	Offset int  // in units; -1: the one before
	Whole  bool // Unit and Offset say all: "yesterday"
	Last   bool // it puts the unit or month beside it into the past
	Ago    bool // it puts the number of units before it into the past
}

var relatives = sync.OnceValue(func() map[string]Relative {
	units := map[string]Unit{"day": Day, "week": Week, "month": Month, "year": Year}
	return folded("relative", 2, func(_ int, words []string) Relative {
		name, isUnit := strings.CutPrefix(words[0], "unit-")
		return Relative{Unit: units[name], Offset: mustAtoi(words[1]), Whole: units[name] != NoUnit && !isUnit,
			Last: name == "last", Ago: name == "ago"}
	})
})

// mustAtoi returns a number of a list, which is part of the program.
func mustAtoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// RelativeTime returns what a form says about a time relative to now.
func RelativeTime(form string) Relative { return relatives()[form] }

var ahead = sync.OnceValue(func() map[string]int {
	return folded("ahead", 1, func(_ int, words []string) int { return mustAtoi(words[0]) })
})

var weekdays = sync.OnceValue(func() map[string]time.Weekday {
	return folded("weekdays", 0, func(i int, _ []string) time.Weekday { return time.Weekday((i + 1) % 7) })
})

// DaysAhead returns how many days after today the day is that a form names: "tomorrow" is 1.
func DaysAhead(form string) (days int, ok bool) {
	days, ok = ahead()[form]
	return days, ok
}

// WeekdayOf returns the day of the week that a form names.
func WeekdayOf(form string) (day time.Weekday, ok bool) {
	day, ok = weekdays()[form]
	return day, ok
}

// UnspacedDays calls yield for each name of a day in languages without spaces: "明日", "金曜".
func UnspacedDays(yield func(name string) bool) {
	for _, list := range [...]string{"ahead", "weekdays"} {
		for _, w := range Words(list) {
			if w[0] >= 0xe0 && !yield(w) {
				return
			}
		}
	}
}
