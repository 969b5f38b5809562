package recall

import (
	"slices"
	"strconv"
	"time"

	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/language"
)

// What a row gets whose time is in a period that a question names. The longer the period, the less it tells.
const (
	ofDay   = 1
	ofWeek  = 0.7
	ofMonth = 0.5
	ofYear  = 0.2

	ofWeekday = 0.5 // the last one, or what is so on each of them
)

// yearsBack is how many years a date without a year may mean, from the year of the question back.
const yearsBack = 3

// A question names few times. These limit what a pasted table or log does to a search: each row that is found is
// compared with each period.
const (
	maxYears   = 8
	maxPeriods = 32
)

// periods returns the times that a question names, in absolute dates or relative to at. Their days are those of the
// zone of at.
func periods(text string, tokens []language.Token, at time.Time) []index.Period {
	p := dates{at: at}
	for _, t := range tokens {
		if y := language.YearOf(t.Form); y > 0 && len(p.years) < maxYears && !slices.Contains(p.years, y) {
			p.years = append(p.years, y)
		}
	}
	for i, t := range tokens {
		if len(p.list) == maxPeriods {
			break
		}
		switch month := language.MonthOf(t.Form); {
		case p.written(t.Form):
		case month > 0 && isMonth(text, t):
			p.month(month, i > 0 && language.RelativeTime(tokens[i-1].Form).Last)
		default:
			p.relative(tokens, i)
		}
	}
	if len(p.list) == 0 {
		for _, y := range p.years {
			p.add(p.date(y, 1, 1), p.date(y+1, 1, 1), ofYear)
		}
	}
	return p.list
}

type dates struct {
	at    time.Time
	years []int // that the question names
	list  []index.Period
}

func (p *dates) date(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, p.at.Location())
}

// add adds the days from begin up to end, without end.
func (p *dates) add(begin, end time.Time, value float64) {
	one := index.Period{First: begin.UnixMicro(), Last: end.UnixMicro() - 1, Value: value}
	if len(p.list) < maxPeriods && !slices.Contains(p.list, one) {
		p.list = append(p.list, one)
	}
}

// candidates are the years of a date without one.
func (p *dates) candidates() []int {
	if len(p.years) > 0 {
		return p.years
	}
	years := make([]int, yearsBack)
	for i := range years {
		years[i] = p.at.Year() - i
	}
	return years
}

// written adds a date that the analysis has put into one notation: 2026-05-14, 2026-05 or 05-14.
func (p *dates) written(form string) bool {
	digits := func(from, to int) int {
		n, err := strconv.Atoi(form[from:to])
		if err != nil {
			return 0
		}
		return n
	}
	switch {
	case len(form) == 10 && form[4] == '-' && form[7] == '-':
		p.day(digits(0, 4), digits(5, 7), digits(8, 10))
	case len(form) == 7 && form[4] == '-':
		p.monthOf(digits(0, 4), digits(5, 7))
	case len(form) == 5 && form[2] == '-':
		for _, y := range p.candidates() {
			p.day(y, digits(0, 2), digits(3, 5))
		}
	default:
		return false
	}
	return true
}

func (p *dates) day(year, month, day int) {
	if year == 0 || month == 0 || day == 0 {
		return
	}
	begin := p.date(year, month, day)
	p.add(begin, begin.AddDate(0, 0, 1), ofDay)
	p.monthOf(year, month)
}

func (p *dates) monthOf(year, month int) {
	if year == 0 || month == 0 {
		return
	}
	p.add(p.date(year, month, 1), p.date(year, month+1, 1), ofMonth)
	if len(p.years) > 0 {
		p.add(p.date(year, 1, 1), p.date(year+1, 1, 1), ofYear)
	}
}

// month adds a month that the question names: the last one before the question, or of any year.
func (p *dates) month(month int, last bool) {
	if !last {
		for _, y := range p.candidates() {
			p.monthOf(y, month)
		}
		return
	}
	year := p.at.Year()
	if month >= int(p.at.Month()) {
		year--
	}
	p.monthOf(year, month)
}

// relative adds "yesterday", "on Monday", "last week" and "two months ago".
func (p *dates) relative(tokens []language.Token, i int) {
	r := language.RelativeTime(tokens[i].Form)
	weekday, isDay := language.WeekdayOf(tokens[i].Form)
	switch {
	case isDay:
		last := p.date(p.at.Year(), int(p.at.Month()), p.at.Day()-int(p.at.Weekday()-weekday+7)%7)
		p.add(last, last.AddDate(0, 0, 1), ofWeekday)
	case r.Whole:
		p.back(r.Unit, -r.Offset)
	case r.Last && i+1 < len(tokens):
		if next := language.RelativeTime(tokens[i+1].Form); next.Unit != language.NoUnit && !next.Whole {
			p.back(next.Unit, 1)
		}
	case r.Ago && i >= 2:
		n, unit := count(tokens[i-2].Form), language.RelativeTime(tokens[i-1].Form).Unit
		if n > 0 && unit != language.NoUnit {
			p.back(unit, n)
		}
	}
}

// maxBack is how many units back a question may go.
const maxBack = 1000

// count returns the number that a form is, up to maxBack, or 0.
func count(form string) int {
	if n, ok := numberWords[form]; ok {
		form = n
	}
	if form == "a" || form == "an" {
		return 1
	}
	n, err := strconv.Atoi(form)
	if err != nil || n < 0 || n > maxBack {
		return 0
	}
	return n
}

// back adds the day, week, month or year that lies n before the question.
func (p *dates) back(unit language.Unit, n int) {
	today := p.date(p.at.Year(), int(p.at.Month()), p.at.Day())
	switch unit {
	case language.Day:
		begin := today.AddDate(0, 0, -n)
		p.add(begin, begin.AddDate(0, 0, 1), ofDay)
	case language.Week:
		monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7-7*n)
		p.add(monday, monday.AddDate(0, 0, 7), ofWeek)
	case language.Month:
		begin := p.date(p.at.Year(), int(p.at.Month())-n, 1)
		p.add(begin, begin.AddDate(0, 1, 0), ofMonth)
	case language.Year:
		begin := p.date(p.at.Year()-n, 1, 1)
		p.add(begin, begin.AddDate(1, 0, 0), ofYear)
	}
}

// isMonth reports whether a token that could be a month is one. "May", "March" and "Mar" are also
// other words, so they need a capital inside of the question.
func isMonth(text string, t language.Token) bool {
	switch t.Form {
	case "may", "march", "mar", "mars", "mai":
		return t.Start > 0 && text[t.Start] >= 'A' && text[t.Start] <= 'Z'
	}
	return true
}
