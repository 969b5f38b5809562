package reflection

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/loci-memory/loci/internal/language"
)

// clockList is the list "clock": the words beside a number that make it a time of day or a share, by their meaning.
var clockList = sync.OnceValue(func() factPhrases {
	list := factPhrases{}
	for _, line := range language.Lines("clock") {
		words := strings.Fields(line)
		for _, w := range words[1:] {
			list.add(w, words[0])
		}
	}
	return list
})

// isClock returns how many words have one of these meanings at a place.
func isClock(tokens []factToken, i int, meanings string) (n int, means string) {
	if i >= len(tokens) {
		return 0, ""
	}
	f, ok := clockList().find(tokens, i)
	if !ok || !strings.Contains(" "+meanings+" ", " "+f.means+" ") {
		return 0, ""
	}
	return len(f.words), f.means
}

// joinNumbers makes one number of words such as "forty-two", "half past five" and "eight in the evening".
func joinNumbers(tokens []factToken) {
	for i := range tokens {
		if tokens[i].used {
			continue
		}
		if n, _ := isClock(tokens, i, "half"); n > 0 {
			if m, _ := isClock(tokens, i+n, "of"); m > 0 {
				tokens[i].number, tokens[i].raw, tokens[i].unit = true, "50", "%"
			}
			continue
		}
		if n, means := isClock(tokens, i, "mins15 mins30 mins45 mins90"); n > 0 {
			joinTokens(tokens, i, n, strings.TrimPrefix(means, "mins"))
			tokens[i].unit = "min"
			continue
		}
		before, moved := isClock(tokens, i, ">30 >15 >-15 >-30")
		value, n := countAt(tokens, i+before)
		if n == 0 {
			continue
		}
		if raw, more := timeAt(tokens, i+before+n, value, moved); more > 0 || before > 0 {
			joinTokens(tokens, i, before+n+more, raw)
		} else if n > 1 || !tokens[i].number && factLists().numbers[tokens[i].form] == 0 && len(value) > 1 {
			joinTokens(tokens, i, n, value)
		}
	}
}

func joinTokens(tokens []factToken, i, n int, raw string) {
	tokens[i].number, tokens[i].raw, tokens[i].end = true, raw, tokens[i+n-1].end
	for k := 1; k < n; k++ {
		tokens[i+k].used = true
	}
}

// countAt returns the number at a place, and how many tokens it has.
func countAt(tokens []factToken, i int) (value string, n int) {
	if i >= len(tokens) || tokens[i].used {
		return "", 0
	}
	if tokens[i].number {
		return plainNumber(tokens[i].raw), 1
	}
	x := factLists()
	form := tokens[i].form
	first, ok := x.numbers[form]
	if one, _ := isClock(tokens, i, "one"); one > 0 {
		first, ok = 1, true
	}
	if units, tens, found := strings.Cut(form, "und"); !ok && found && x.numbers[tens] >= 20 && x.numbers[tens] < 100 {
		if u := x.numbers[units]; u > 0 && u < 10 {
			return strconv.Itoa(x.numbers[tens] + u), 1
		}
		if units == "ein" {
			return strconv.Itoa(x.numbers[tens] + 1), 1
		}
	}
	if !ok {
		return "", 0
	}
	n = 1
	if first >= 20 && first < 100 {
		and, _ := isClock(tokens, i+1, "and")
		if next := i + 1 + and; next < len(tokens) && tokens[next].start-tokens[next-1].end <= 1 {
			unit := x.numbers[tokens[next].form]
			if one, _ := isClock(tokens, next, "one"); one > 0 && (and > 0 || tokens[next].form == "one") {
				unit = 1
			}
			if unit > 0 && unit < 10 {
				first, n = first+unit, 2+and
			}
		}
	}
	if n > 1 && i+n < len(tokens) && x.numbers[tokens[i+n].form] >= 100 {
		first, n = first*x.numbers[tokens[i+n].form], n+1
	}
	return strconv.Itoa(first), n
}

// timeAt returns the time of day that an hour and the words behind it make, and how many words those are.
func timeAt(tokens []factToken, i int, value, moved string) (raw string, more int) {
	text, rest, _ := strings.Cut(value, ":")
	hour, err := strconv.Atoi(text)
	minute, _ := strconv.Atoi(rest)
	if err != nil || hour > 24 || hour < 1 {
		return value, 0
	}
	if n, means := isClock(tokens, i, "+30 +15 -15"); n > 0 {
		moved, more = means, n
	}
	if shift, err := strconv.Atoi(strings.TrimLeft(moved, ">")); err == nil {
		minute += shift
	}
	n, means := isClock(tokens, i+more, "pm am hour")
	if more += n; n == 0 && (rest != "" || moved != "") {
		for k := more; k <= more+1 && means == ""; k++ {
			var words int
			if words, means = isClock(tokens, i+k, "pm"); words == 1 {
				tokens[i+k].used = true // "half past seven, Tuesday evenings"
			}
		}
	}
	switch {
	case means == "pm" && hour < 12:
		hour += 12
	case means == "am" && hour == 12:
		hour = 0
	}
	if minute < 0 {
		hour, minute = hour-1, minute+60
	}
	if minute == 0 {
		return strconv.Itoa(hour), more
	}
	two := strconv.Itoa(minute)
	if minute < 10 {
		two = "0" + two
	}
	return strconv.Itoa(hour) + ":" + two, more
}

// isAbout reports whether a word before a number says that it is rounded.
func (s *Statement) isAbout(tokens []factToken, i int) bool {
	before := strings.TrimRight(s.text[:min(tokens[i].start, len(s.text))], " ")
	if endsWith(before, "~", "≈", "约", "約") {
		return true
	}
	for k := 1; k <= 2 && k <= i; k++ {
		if n, _ := isClock(tokens, i-k, "about"); n > 0 {
			return true
		}
	}
	return false
}

// amounts are what units of a family are worth in one of them.
var amounts = map[string]struct {
	family string
	worth  float64
}{
	"mm": {"length", 0.001}, "cm": {"length", 0.01}, "m": {"length", 1}, "km": {"length", 1000},
	"µg": {"mass", 1e-6}, "mg": {"mass", 0.001}, "g": {"mass", 1}, "kg": {"mass", 1000},
	"ml": {"volume", 0.001}, "l": {"volume", 1},
	"kb": {"data", 1e-6}, "mb": {"data", 1e-3}, "gb": {"data", 1}, "tb": {"data", 1000},
	"ms": {"time", 0.001}, "s": {"time", 1}, "min": {"time", 60}, "hour": {"time", 3600}, "unit-day": {"time", 86400},
	"unit-week": {"time", 604800},
}

// numberForm is what the form of a number without a unit shows about it.
type numberForm string

// The forms of numbers. A bare number may be a day.
const (
	bareNumber  numberForm = ""
	clockNumber numberForm = "clock"
	dayNumber   numberForm = "day"
	yearNumber  numberForm = "year"
)

func formOf(tokens []factToken, i int, value string) numberForm {
	month := func(k int) bool { return k >= 0 && k < len(tokens) && language.MonthOf(tokens[k].form) > 0 }
	year, err := strconv.Atoi(value)
	switch {
	case strings.Contains(tokens[i].raw, ":"):
		return clockNumber
	case err == nil && len(value) == 4 && year >= 1900 && year < 2100:
		return yearNumber
	case month(i-1) || month(i+1):
		return dayNumber
	}
	return bareNumber
}

// sameKind reports whether two numbers count the same, if in other units.
func (n factNumber) sameKind(o factNumber) bool {
	switch {
	case n.unit != o.unit:
		return n.unit != "" && o.unit != "" && amounts[n.unit].family != "" &&
			amounts[n.unit].family == amounts[o.unit].family
	case n.unit != "" || n.form == o.form:
		return true
	}
	return n.form == bareNumber && o.form == dayNumber || n.form == dayNumber && o.form == bareNumber
}

// amount is what a number is worth in the units of its family.
func (n factNumber) amount() (worth float64, ok bool) {
	v, err := strconv.ParseFloat(n.value, 64)
	if err != nil {
		return 0, false
	}
	if a := amounts[n.unit]; a.family != "" {
		v *= a.worth
	}
	return v, true
}

// Of numbers that are rounded: how far one may be from the other, and how large a count is.
const (
	roundedOff   = 0.09
	leastRounded = 10
)

// equals reports whether two numbers are the same, and whether only when one is rounded.
func (n factNumber) equals(o factNumber) (same, rounded bool) {
	if n.value == o.value && (n.unit == o.unit || n.unit == "" || o.unit == "") {
		return true, false
	}
	a, ok := n.amount()
	b, fine := o.amount()
	if !ok || !fine || !n.sameKind(o) || n.unit != o.unit && (n.unit == "" || o.unit == "") {
		return false, false
	}
	off := math.Abs(a-b) / max(math.Abs(a), math.Abs(b), 1e-9)
	rounded = off > 1e-6 && (n.about || o.about) && (n.unit != "" || a >= leastRounded) && off <= roundedOff
	return off <= 1e-6 || rounded, rounded
}

// What stands beside an hour where words have no spaces between them.
var (
	wideLater = []string{"夜", "午後", "下午", "晚上", "晚", "夕方", "傍晚", "夜の", "午后"}
	wideHours = []string{"時", "时", "点", "點"}
)

// wideTime makes the time of day of an hour such as "夜10時" or "下午3点半".
func (s *Statement) wideTime(n *factNumber, end int) {
	hour, err := strconv.Atoi(n.value)
	rest := strings.TrimLeft(s.text[end:], " ")
	for _, mark := range wideHours {
		after, ok := strings.CutPrefix(rest, mark)
		if !ok || err != nil || hour > 24 {
			continue
		}
		before := strings.TrimRight(s.text[:n.start], " ")
		if hour < 12 && endsWith(before, wideLater...) {
			hour += 12
		}
		n.value, n.version = strconv.Itoa(hour), false
		if strings.HasPrefix(after, "半") {
			n.value += ":30"
		}
		return
	}
}
