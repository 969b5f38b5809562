package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

// parseID reads an id from the command line; see is the command that lists ids.
func parseID[T ~[16]byte](s, noun, see string) (T, error) {
	id, err := loci.ParseID[struct{}](s)
	if err != nil || id.IsZero() {
		return T{}, loci.Errorf(loci.Invalid, "%q is not a valid %s id; see `%s`", cut(s, 60), noun, see)
	}
	return T(id), nil
}

func parseMemoryID(s string) (loci.MemoryID, error) {
	return parseID[loci.MemoryID](s, "memory", "loci list")
}

func parseMemoryIDs(texts []string) ([]loci.MemoryID, error) {
	ids := make([]loci.MemoryID, 0, len(texts))
	for _, s := range texts {
		id, err := parseMemoryID(s)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// parseVendors reads the vendors of a flag or an argument; nil for none.
func parseVendors(field string, names []string) ([]loci.Vendor, error) {
	var vendors []loci.Vendor
	for _, name := range names {
		if name == string(loci.AnyVendor) {
			vendors = append(vendors, loci.AnyVendor)
			continue
		}
		v, err := parseVendor(field, name)
		if err != nil {
			return nil, err
		}
		vendors = append(vendors, v)
	}
	return vendors, nil
}

func parseVendor(field, name string) (loci.Vendor, error) {
	v, err := loci.ParseVendor(name)
	if err != nil {
		return "", loci.FieldErrorf(field, "cannot be %q: %s", cut(name, 60), err)
	}
	return v, nil
}

func parseOnOff(field, value string) (bool, error) {
	if value != "on" && value != "off" {
		return false, loci.FieldErrorf(field, "must be on or off, not %q", cut(value, 60))
	}
	return value == "on", nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// parseState reads the state or status that a list is limited to; "all" is "".
func parseState[T ~string](flag, s string, states ...T) (T, error) {
	if s == "all" {
		return "", nil
	}
	var names []string
	for _, state := range states {
		if s == string(state) {
			return state, nil
		}
		names = append(names, string(state))
	}
	return "", loci.FieldErrorf(flag, "must be %s or all, not %q", strings.Join(names, ", "), cut(s, 60))
}

// splitSetting reads SETTING=VALUE.
func splitSetting(arg, example string) (name, value string, err error) {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		return "", "", usagef("%q is not SETTING=VALUE, such as %s", cut(arg, 60), example)
	}
	return name, value, nil
}

// parseTime reads a day (its first moment, UTC) or a moment.
func parseTime(flag, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, loci.FieldErrorf(flag, "must be a day like 2026-01-31 or a time like 2026-01-31T15:04:05Z")
}

// parseExpiry reads how long something lasts from now, a day or a moment.
func parseExpiry(s string, now time.Time) (time.Time, error) {
	return parseAround("--expires", s, now, 1)
}

// parseSince reads a span before now, a day or a moment.
func parseSince(s string, now time.Time) (time.Time, error) {
	return parseAround("--since", s, now, -1)
}

// parseAround reads a span after (sign 1) or before (-1) now, a day or a moment.
func parseAround(flag, s string, now time.Time, sign int) (time.Time, error) {
	if d, err := parseSpan(s); err == nil {
		return now.Add(time.Duration(sign) * d), nil
	}
	t, err := parseTime(flag, s)
	if err != nil {
		return t, loci.FieldErrorf(flag,
			"must be a span like 7d or 12h, a day like 2026-01-31 or a time like 2026-01-31T15:04:05Z")
	}
	return t, nil
}

// parseSpan reads a span of time like 90d or 12h.
func parseSpan(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36500 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err == nil && d <= 0 {
		err = loci.Errorf(loci.Invalid, "a span must be positive")
	}
	return d, err
}

// parseClock reads a time as a person writes it: of today, a span before now, or in full. The time zone is that of
// now unless s names one.
func parseClock(flag, s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := parseSpan(s); err == nil {
		return now.Add(-d), nil
	}
	for _, layout := range []string{"15:04", "15:04:05"} {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		t = time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, now.Location())
		if t.After(now) {
			return t, loci.FieldErrorf(flag, "is later today; add the day, such as %s",
				t.AddDate(0, 0, -1).Format("2006-01-02T15:04:05"))
		}
		return t, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05",
		"2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, loci.FieldErrorf(flag, "must be a time of today like 14:00, a span before now like 2h, "+
		"a day like 2026-01-31 or a time like 2026-01-31T15:04:05Z")
}
