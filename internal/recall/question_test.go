package recall

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/index"
)

var askedAt = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) // a Monday

func read(text string, people ...string) index.Query {
	a := Ask{Text: text, At: askedAt, Self: []string{"user"}, Limit: 5}.Read()
	q, _ := a.query(func(name string) bool { return slices.Contains(people, name) })
	return q
}

func forms(q index.Query) string {
	var list []string
	for _, t := range q.Terms {
		list = append(list, t.Form)
	}
	return strings.Join(list, " ")
}

func TestQuestionsAreRead(t *testing.T) {
	t.Parallel()
	people := []string{"user", "caroline", "mary ann", "mel"}
	for _, tt := range []struct {
		text, terms, actors string
		when                bool
	}{
		{"What did Caroline paint?", "paint", "caroline", false},
		{"When did Caroline's sister visit Mel?", "sister visit", "caroline mel", true},
		{"Did Mary Ann buy the boat?", "buy boat", "mary ann", false},
		{"Which editor do I prefer?", "editor prefer", "user", false},
		{"Welches Fahrrad hat mein Bruder?", "fahrrad bruder", "user", false},
		{"what is it", "what is it", "", false},
		{"Who knows Robert?", "knows robert", "", false},
		{"", "", "", false},
		{"?!", "", "", false},
	} {
		q := read(tt.text, people...)
		if got := forms(q); got != tt.terms {
			t.Errorf("%q: got terms %q, want %q", tt.text, got, tt.terms)
		}
		if got := strings.Join(q.Actors, " "); got != tt.actors {
			t.Errorf("%q: got actors %q, want %q", tt.text, got, tt.actors)
		}
		if q.When != tt.when {
			t.Errorf("%q: got when %v", tt.text, q.When)
		}
	}
}

// Of a long text, the beginning is read.
func TestLongQuestionsAreCut(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("2024-01-02 2023 1999-05 ", 5000), strings.Repeat("b.c ", 30_000),
		strings.Repeat(`"blue sky" `, 10_000), strings.Repeat("東京都庁舎", 9000)} {
		q := Ask{Text: "boat " + text, At: askedAt, Limit: 5}.Read()
		if len(q.tokens) != maxTokens || len(q.ask.Text) > maxQuestion {
			t.Errorf("%.20s: read %d tokens of %d bytes", text, len(q.tokens), len(q.ask.Text))
		}
		asked, _ := q.query(func(string) bool { return false })
		if asked.Terms[0].Form != "boat" {
			t.Errorf("%.20s: got terms %q", text, forms(asked))
		}
	}
	var list []string
	for i := range 100 {
		list = append(list, askedAt.AddDate(0, -i, -i).Format(time.DateOnly))
	}
	q := read("What happened on " + strings.Join(list, " "))
	if len(q.Periods) != maxPeriods {
		t.Errorf("got %d periods", len(q.Periods))
	}
	today := askedAt.Truncate(24 * time.Hour).UnixMicro()
	first := index.Period{First: today, Last: today + 86_400e6 - 1, Value: ofDay}
	if !slices.Contains(q.Periods, first) {
		t.Errorf("the first day is missing: got %v", q.Periods)
	}
}

// A question names times in words. The best period of a day tells how well a row of that day fits.
func TestQuestionsNameTimes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, day string
		want      float64
	}{
		{"What happened on 14 May 2023?", "2023-05-14", ofDay},
		{"What did we decide on Friday?", "2026-11-20", ofWeekday},
		{"What did we decide on Friday?", "2026-11-13", 0},
		{"What happened on May 14, 2023?", "2023-05-20", ofMonth},
		{"What happened on 2023-05-14?", "2023-09-20", ofYear},
		{"What happened on 2023-05-14?", "2022-05-14", 0},
		{"Who came in May?", "2026-05-02", ofMonth},
		{"Who came in May?", "2025-05-02", ofMonth},
		{"Who came in May?", "2022-05-02", 0},
		{"Who came in May 2022?", "2022-05-31", ofMonth},
		{"May we go?", "2026-05-02", 0},
		{"Who may go?", "2026-05-02", 0},
		{"Was machten wir im März?", "2026-03-31", ofMonth},
		{"Where was I last May?", "2026-05-31", ofMonth},
		{"Where was I last May?", "2025-05-31", 0},
		{"Where was I last December?", "2025-12-01", ofMonth},
		{"What did we eat yesterday?", "2026-11-22", ofDay},
		{"What did we eat yesterday?", "2026-11-21", 0},
		{"What did we eat last week?", "2026-11-16", ofWeek},
		{"What did we eat last week?", "2026-11-22", ofWeek},
		{"What did we eat last week?", "2026-11-23", 0},
		{"What did we eat two weeks ago?", "2026-11-12", ofWeek},
		{"What did we eat 3 days ago?", "2026-11-20", ofDay},
		{"What did we do last month?", "2026-10-01", ofMonth},
		{"What did we do a year ago?", "2025-02-01", ofYear},
		{"Was war letzte Woche?", "2026-11-18", ofWeek},
		{"What was in 2019?", "2019-08-01", ofYear},
		{"What is in room 2019?", "2020-08-01", 0},
		{"昨日何を食べましたか", "2026-11-22", ofDay},
		{"What was 99999999999999999999 days ago?", "2026-11-20", 0},
	} {
		day, err := time.Parse(time.DateOnly, tt.day)
		if err != nil {
			t.Fatal(err)
		}
		n, got := day.UnixMicro(), 0.0
		for _, p := range read(tt.text).Periods {
			if p.First <= n && n <= p.Last {
				got = max(got, p.Value)
			}
		}
		if got != tt.want {
			t.Errorf("%q: %s fits by %v, want %v", tt.text, tt.day, got, tt.want)
		}
	}
}

// Days are those of the asker, and 25 hours long when the clocks go back.
func TestDaysAreThoseOfTheAsker(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	tokyo := time.FixedZone("", 9*60*60)
	for _, tt := range []struct {
		at          time.Time
		first, last string
	}{
		{time.Date(2026, 11, 29, 8, 30, 0, 0, tokyo), "2026-11-27T15:00:00Z", "2026-11-28T15:00:00Z"},
		{time.Date(2026, 10, 26, 9, 0, 0, 0, berlin), "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
	} {
		q := Ask{Text: "pelicans yesterday", At: tt.at}.Read()
		asked, _ := q.query(func(string) bool { return false })
		first, _ := time.Parse(time.RFC3339, tt.first)
		last, _ := time.Parse(time.RFC3339, tt.last)
		if want := []index.Period{{First: first.UnixMicro(), Last: last.UnixMicro() - 1, Value: ofDay}}; !slices.Equal(
			asked.Periods, want) {
			t.Errorf("%v: got %v, want %v", tt.at, asked.Periods, want)
		}
	}
}

// Any input is a question, and a long one costs no more than a short one.
func FuzzQuestion(f *testing.F) {
	for _, s := range []string{"What did Caroline do last May?", "2026-13-45", "0000-00-00", "05-99", "a AND (b",
		"東京 2 weeks ago", strings.Repeat("x ", 9000), "\x00\xff", "last last last", "ago ago ago"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := read(text, "caroline")
		if len(q.Terms) > 32 {
			t.Errorf("got %d terms", len(q.Terms))
		}
		for _, p := range q.Periods {
			if p.Last < p.First || p.Value <= 0 || p.Value > 1 {
				t.Errorf("got %+v", p)
			}
		}
	})
}
