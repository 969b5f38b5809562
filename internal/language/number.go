package language

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// number is a number that was read: a unit or a month may follow.
type number struct {
	form       string
	start, end int
	position   int
	minutes    int // as a time of day; -1: it is none
}

// date is a date, as far as it was read.
type date struct {
	start, end       int
	position         int
	year, month, day int // 0: not read
}

// maxGap is how many bytes may lie between a number and its unit, as in "14. May".
const maxGap = 3

// maxNumber limits the length of what can be a number, in bytes.
const maxNumber = 32

// digits is a number as written: groups of digits, what is between them, and what follows.
type digits struct {
	groups [8]string
	seps   [8]byte
	n      int // groups
	rest   string
}

func readDigits(s string) (d digits) {
	for d.n < len(d.groups) {
		end := 0
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		if end == 0 {
			break
		}
		d.groups[d.n], s = s[:end], s[end:]
		d.n++
		if d.n == len(d.groups) || len(s) < 2 || !strings.ContainsRune(".,:/-", rune(s[0])) || s[1] < '0' || s[1] > '9' {
			break
		}
		d.seps[d.n-1], s = s[0], s[1:]
	}
	d.rest = s
	return d
}

func (d *digits) same(c byte) bool {
	return d.n > 1 && !slices.ContainsFunc(d.seps[:d.n-1], func(sep byte) bool { return sep != c })
}

// numeric appends the tokens of a chunk that begins with a digit, or with the v of a version. It
// reports false, and appends nothing, if the chunk is no number.
func (a *Analyzer) numeric(start, end int, has shape) bool {
	if end-start > maxNumber {
		return false
	}
	s := a.text[start:end]
	if has&notASCII != 0 {
		s = ascii(s)
	}
	if len(s) > 2 && (s[0] == 'v' || s[0] == 'V') && s[1] >= '0' && s[1] <= '9' {
		d := readDigits(s[1:])
		if d.rest == "" && (d.n == 1 || d.same('.')) {
			a.version(&d, start, end)
			return true
		}
		return false
	}
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	d := readDigits(s)
	switch {
	case d.rest == "":
		return a.bare(&d, start, end)
	case d.same('-') && d.n == 3 && len(d.groups[0]) == 4 && (d.rest[0] == 'T' || d.rest[0] == 't'):
		return a.timestamp(&d, start, end)
	default:
		return a.withUnit(&d, start, end, len(s))
	}
}

// ascii returns s with the digits and full-width characters in ASCII, or "" if others remain.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		if isDigit(r) {
			r = rune('0' + digit(r))
		}
		if r = narrow(r); r >= utf8.RuneSelf {
			return ""
		}
		b.WriteByte(byte(r))
	}
	return b.String()
}

// bare appends a number without letters.
func (a *Analyzer) bare(d *digits, start, end int) bool {
	position := a.position
	switch {
	case d.n == 1:
		a.numberToken(d.groups[0], start, end)
	case a.numericDate(d, start, end):
	case d.same(':') && d.n <= 3 && len(d.groups[1]) == 2 && atoi(d.groups[0]) < 24 && atoi(d.groups[1]) < 60:
		a.clock(d, start, end)
	case d.same('-'):
		a.grouped(d, start, end)
	default:
		form, ok := decimal(d)
		switch {
		case ok:
			a.numberToken(form, start, end)
			if d.n == 2 && d.seps[0] == '.' && len(d.groups[1]) == 2 && atoi(d.groups[0]) < 24 && atoi(d.groups[1]) < 60 {
				a.number.minutes = 60*atoi(d.groups[0]) + atoi(d.groups[1]) // "15.30 Uhr"
			}
		case d.same('.'):
			a.version(d, start, end)
		default:
			return false
		}
	}
	return a.position > position
}

// numberToken appends a number and remembers it for the unit that may follow.
func (a *Analyzer) numberToken(form string, start, end int) {
	a.number = number{form: a.form(form), start: start, end: end, position: a.position, minutes: -1}
	if len(form) <= 2 && atoi(form) < 24 {
		a.number.minutes = 60 * atoi(form)
	}
	month := 0
	if n := len(a.out); n > 0 && start-a.out[n-1].End <= 2 {
		month = months()[a.out[n-1].Form]
	}
	a.emit(a.number.form, start, end)
	before, _ := utf8.DecodeLastRuneInString(a.text[:start])
	after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(a.text[end:], " "))
	for _, sign := range [...]rune{before, after} {
		if unit := signs[sign]; unit != "" && (sign != before || unit != "%") {
			a.beside(cut(a.number.form+unit), start, end, a.number.position)
			break
		}
	}
	if before == '+' || a.phone.end == start-1 {
		a.dial(before == '+', start, end)
	}
	a.datePart(month, start, end)
}

// signs are the units that are written as a sign, before or after a number.
var signs = map[rune]string{'€': "eur", '$': "usd", '£': "gbp", '¥': "jpy", '￥': "jpy", '%': "%", '％': "%"}

// phone is a telephone number, as far as it was read.
type phone struct {
	digits               string
	start, end, position int
}

// dial appends the digits of a telephone number that begins with "+" as one number.
func (a *Analyzer) dial(first bool, start, end int) {
	if first {
		a.phone = phone{start: start, position: a.number.position}
	}
	a.phone.digits, a.phone.end = a.phone.digits+a.number.form, end
	if n := len(a.phone.digits); n >= 8 && n <= maxNumber && !first {
		a.beside(a.phone.digits, a.phone.start, end, a.phone.position)
	}
}

// decimal returns a number with a point before its fraction and nothing between its thousands.
func decimal(d *digits) (string, bool) {
	last := d.n - 1
	for _, sep := range d.seps[:last] {
		if sep != '.' && sep != ',' {
			return "", false
		}
	}
	thousands := d.groups[0] != "0" && len(d.groups[0]) <= 3
	for _, group := range d.groups[1:last] {
		thousands = thousands && len(group) == 3
	}
	inner := d.seps[0]
	for _, sep := range d.seps[:max(0, last-1)] {
		thousands = thousands && sep == inner
	}
	switch {
	case thousands && len(d.groups[last]) == 3 && (last == 1 || d.seps[last-1] == inner):
		return strings.Join(d.groups[:d.n], ""), true
	case last == 1:
		return fraction(d.groups[0], d.groups[1]), true
	case thousands && d.seps[last-1] != inner:
		return fraction(strings.Join(d.groups[:last], ""), d.groups[last]), true
	}
	return "", false
}

// fraction drops a fraction of 00, but not that of a small number, which may be a version.
func fraction(whole, part string) string {
	if part == "00" && len(whole) > 2 {
		return whole
	}
	return whole + "." + part
}

// version appends a version without its v. "1.29.4" is also "1.29".
func (a *Analyzer) version(d *digits, start, end int) {
	position := a.position
	a.emit(strings.Join(d.groups[:d.n], "."), start, end)
	if d.n > 2 {
		a.beside(d.groups[0]+"."+d.groups[1], start, end, position)
	}
}

// grouped appends a range or a number in groups. Seven digits or more are also one number.
func (a *Analyzer) grouped(d *digits, start, end int) {
	whole, position := strings.Join(d.groups[:d.n], ""), a.position
	at := start
	exact := len(whole)+d.n-1 == end-start // else the digits are not ASCII
	for _, group := range d.groups[:d.n] {
		if exact {
			a.numberToken(group, at, at+len(group))
		} else {
			a.numberToken(group, start, end)
		}
		at += len(group) + 1
	}
	if len(whole) >= 7 {
		a.beside(whole, start, end, position)
	}
}

// withUnit appends a number with what follows it without a space: "85kg", "3pm", "15h30", "3rd".
func (a *Analyzer) withUnit(d *digits, start, end, length int) bool {
	rest := strings.ToLower(d.rest)
	form, ok := d.groups[0], true
	if d.n > 1 {
		if form, ok = decimal(d); !ok && !d.same(':') {
			return false
		}
	}
	for i := 0; i < len(rest); i++ {
		if rest[i] < 'a' || rest[i] > 'z' {
			return ok && d.n == 1 && a.hours(d, rest, start, end)
		}
	}
	at := end - len(rest)
	if length != end-start {
		at = start // not ASCII: one place for both
	}
	_, unit := units()[rest]
	half := len(rest) == 2 && rest[1] == 'm' && (rest[0] == 'a' || rest[0] == 'p')
	if d.same(':') {
		if !unit && !half && !hourWords[rest] {
			return false
		}
		a.clock(d, start, at)
		a.word(a.form(rest), at, end)
		return true
	}
	ordinal := rest == "st" || rest == "nd" || rest == "rd" || rest == "th" || rest == "er"
	if !unit && !half && !ordinal && (d.n == 1 || len(rest) > 2) {
		return a.hours(d, rest, start, end)
	}
	if at > start {
		a.numberToken(form, start, at)
	} else {
		a.numberToken(form, start, end)
	}
	if !ordinal {
		a.number.end = at
		a.word(a.form(rest), at, end)
	}
	return true
}

// hours appends a time such as "15h" or "15h30".
func (a *Analyzer) hours(d *digits, rest string, start, end int) bool {
	hour := atoi(d.groups[0])
	if d.n != 1 || rest[0] != 'h' || len(d.groups[0]) > 2 || hour > 23 {
		return false
	}
	minute := 0
	if tail := rest[1:]; tail != "" {
		if len(tail) != 2 || tail[0] < '0' || tail[0] > '5' || tail[1] < '0' || tail[1] > '9' {
			return false
		}
		minute = atoi(tail)
	}
	a.emit(timeForm(60*hour+minute), start, end)
	return true
}

func atoi(s string) int {
	if len(s) > 9 {
		return 1 << 30
	}
	n, _ := strconv.Atoi(s)
	return n
}

func timeForm(minutes int) string {
	return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
}

// clock appends a time. "3:30" is also 15:30, because nobody knows.
func (a *Analyzer) clock(d *digits, start, end int) {
	minutes := 60*atoi(d.groups[0]) + atoi(d.groups[1])
	position := a.position
	a.number = number{form: timeForm(minutes), start: start, end: end, position: position, minutes: minutes}
	a.emit(a.number.form, start, end)
	if len(d.groups[0]) == 1 && minutes >= 60 && minutes < 12*60 {
		a.beside(timeForm(minutes+12*60), start, end, position)
	}
}

var units = sync.OnceValue(func() map[string]string {
	return folded("units", 0, func(_ int, names []string) string { return names[0] })
})

// afterNumber appends what a word makes of the number before it: a time, a date or a quantity.
func (a *Analyzer) afterNumber(form string, start, end int) {
	if a.connects(form, start, end) {
		return
	}
	if start-a.number.end > maxGap {
		return
	}
	n := a.number
	switch {
	case form == "pm" || form == "am":
		if n.minutes >= 0 && n.minutes < 13*60 {
			minutes := n.minutes % (12 * 60)
			if form == "pm" {
				minutes += 12 * 60
			}
			a.beside(timeForm(minutes), n.start, end, n.position)
		}
	case hourWords[form] && n.minutes >= 0:
		a.beside(timeForm(n.minutes), n.start, end, n.position)
		if form == "oclock" && n.minutes >= 60 && n.minutes < 12*60 {
			a.beside(timeForm(n.minutes+12*60), n.start, end, n.position)
		}
	case units()[form] != "":
		a.beside(cut(n.form+units()[form]), n.start, end, n.position)
	default:
		a.monthAfter(form, end)
	}
	a.number.end = far
}

var hourWords = Set("uhr h heure heures oclock часов часа час hrs")

// connects reports whether a word only joins a day, a month and a year: "14 de mayo de 2026".
func (a *Analyzer) connects(form string, start, end int) bool {
	switch form {
	case "de", "of", "di", "do", "del":
	default:
		return false
	}
	if start-a.number.end <= maxGap {
		a.number.end = end
	}
	if start-a.date.end <= maxGap {
		a.date.end = end
	}
	return true
}
