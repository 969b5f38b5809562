package loci

import (
	"net/url"
	"strings"
)

// DefaultMeasurement is the measurement of bindings that name none.
const DefaultMeasurement = "events"

// ArcBinding says in which Arc the events of an org are.
type ArcBinding struct {
	URL         string // of the instance, or of the one address of a cluster
	Database    string
	Measurement string
	Key         Secret // the API key
}

// Validate returns an Invalid error for what Arc wouldn't accept. It removes a slash at the end of the
// URL.
func (b *ArcBinding) Validate() error {
	b.URL = strings.TrimRight(b.URL, "/")
	u, err := url.Parse(b.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" || strings.ContainsAny(b.URL, "?#") {
		return FieldErrorf("url", "must be an http or https address without a path, like https://arc.example.org:8000")
	}
	if !isArcName(b.Database, 64, true) {
		return FieldErrorf("database", "must be a letter, then letters, digits, _ and -, at most 64")
	}
	// Arc takes a statement with this word for one of its own.
	if !isArcName(b.Measurement, 128, false) || strings.Contains(strings.ToLower(b.Measurement), "read_parquet") {
		return FieldErrorf("measurement", "must be a letter, then letters, digits and _, at most 128")
	}
	if key := b.Key.Reveal(); key == "" || len(key) > 1000 || strings.ContainsFunc(key, notInHeader) {
		return FieldErrorf("api_key", "must be 1 to 1000 printable ASCII characters without spaces")
	}
	return nil
}

func isArcName(s string, limit int, hyphens bool) bool {
	if s == "" || len(s) > limit || !isLetter(s[0]) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return notInType(r) || r == '.' || r == '-' && !hyphens })
}

func notInHeader(r rune) bool { return r <= ' ' || r > '~' }
