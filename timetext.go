package loci

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxSpanDays is the longest span of time that ParseSpan accepts: a hundred years.
const maxSpanDays = 36500

// exactLayouts are the forms of a day and of a moment.
var exactLayouts = []string{time.RFC3339Nano, time.DateOnly, "2006-01-02 15:04", "2006-01-02 15:04:05",
	"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00"}

// ParseTime reads a day (its first moment), a day with a time, or RFC 3339. zone applies unless s
// has a time zone. The error doesn't repeat s.
func ParseTime(s string, zone *time.Location) (time.Time, error) {
	for _, layout := range exactLayouts {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil && !t.IsZero() {
			return t, nil
		}
	}
	return time.Time{}, Errorf(Invalid, "must be a date or a time like 2026-11-20T16:00:00Z (RFC 3339)")
}

// ParseTimeNear reads what ParseTime reads and what people write: a span from now (2h, 3d, 2w, 2 days), now,
// today, yesterday and tomorrow, each with or without a time of day, and a time of today. A span
// lies after now if ahead is true, else before it; "in 2h" and "2h ago" set the direction. The time
// zone is that of now unless s has one. The error doesn't repeat s.
func ParseTimeNear(s string, now time.Time, ahead bool) (time.Time, error) {
	text := strings.ToLower(strings.TrimSpace(s))
	if rest, ok := strings.CutPrefix(text, "in "); ok {
		text, ahead = rest, true
	} else if rest, ok := strings.CutSuffix(text, " ago"); ok {
		text, ahead = rest, false
	}
	span := spelledUnit.ReplaceAllString(text, "$1$2$3$4$5$6")
	if d, err := ParseSpan(span); err == nil {
		if ahead {
			return now.Add(d), nil
		}
		return now.Add(-d), nil
	}
	if longSpan.MatchString(span) {
		return now, Errorf(Invalid, "must be at most %d days away", maxSpanDays)
	}
	if text == "now" {
		return now, nil
	}
	if t, ok, err := parseNamedDay(text, now, ahead); ok {
		return t, err
	}
	t, err := ParseTime(strings.ToUpper(text), now.Location())
	if err != nil {
		return t, Errorf(Invalid, "must be a time such as %s", timesLike(now, ahead))
	}
	return t, nil
}

// spelledUnit matches a span with one unit in words, such as "2 days". Its groups are what ParseSpan reads.
var spelledUnit = regexp.MustCompile(`^(\d+) ?(?:(s)ec(?:ond)?s?|(m)in(?:ute)?s?|(h)(?:ou)?rs?|(d)ays?|(w)(?:ee)?ks?)$`)

// longSpan matches a span that ParseSpan refuses because it is too long.
var longSpan = regexp.MustCompile(`^0*[1-9]\d*[smhdw]$`)

// timesLike returns examples of times in one direction.
func timesLike(now time.Time, ahead bool) string {
	named, at := "yesterday, \"yesterday 14:00\"", now.AddDate(0, -1, 0)
	if ahead {
		named, at = "tomorrow, \"tomorrow 14:00\"", now.AddDate(0, 1, 0)
	}
	day := at.Format(time.DateOnly)
	return fmt.Sprintf("2h, 2d, %s, %s, \"%s 14:00\" or %sT14:00:00Z", named, day, day, day)
}

// parseNamedDay reads a day by its name, a time of day, or both. ok is false if text has another form.
func parseNamedDay(text string, now time.Time, ahead bool) (t time.Time, ok bool, err error) {
	name, clock, both := strings.Cut(text, " ")
	days := map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}
	day, named := days[name]
	if !named {
		clock = text
	}
	var at time.Time
	if !named || both {
		if at, ok = parseClock(clock); !ok {
			return t, false, nil
		}
	}
	t = time.Date(now.Year(), now.Month(), now.Day()+day, at.Hour(), at.Minute(), at.Second(), 0, now.Location())
	if named {
		return t, true, nil
	}
	switch {
	case ahead && t.Before(now):
		return t, true, Errorf(Invalid, "is earlier today; add the day, such as \"tomorrow %s\"", clock)
	case !ahead && t.After(now):
		return t, true, Errorf(Invalid, "is later today; add the day, such as \"yesterday %s\"", clock)
	}
	return t, true, nil
}

func parseClock(s string) (time.Time, bool) {
	for _, layout := range []string{"15:04", "15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// ParseSpan reads a span of time such as 30m, 2h, 1h30m, 3d or 2w. It must be positive.
func ParseSpan(s string) (time.Duration, error) {
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		number, ok := strings.CutSuffix(s, unit)
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(number); err == nil && n > 0 && n <= maxSpanDays/days {
			return time.Duration(n*days) * 24 * time.Hour, nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return d, nil
	}
	return 0, Errorf(Invalid, "must be a span of time such as 30m, 12h, 90d or 2w")
}

// ErrSpent is the cause that ends the context of a search that has used up its time. The search then
// returns what it has found, marked as cut. If the context ends for another reason, it fails.
var ErrSpent = errors.New("the search used up its time")

// Spent reports whether ctx ended by ErrSpent.
func Spent(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrSpent) }
