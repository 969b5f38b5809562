package mcpserver

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// seconds is a whole number of them, however it is spelled.
type seconds time.Duration

// UnmarshalJSON reads a number. What is too large is cut, so that the check of its limits speaks about it.
func (s *seconds) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) || f != math.Trunc(f) {
		return errNotWhole
	}
	most := app.MaxTTL.Seconds() + 1
	*s = seconds(max(-most, min(most, f))) * seconds(time.Second)
	return nil
}

// lifetime returns *s if it was given, else 0.
func (s *seconds) lifetime(field string) (time.Duration, error) {
	if s == nil {
		return 0, nil
	}
	d := time.Duration(*s)
	if d < time.Second || d > app.MaxTTL {
		return 0, loci.FieldErrorf(field, "must be from 1 second to 100 years, in seconds")
	}
	return d, nil
}

// instant reads a time; "" is the zero time.
func instant(field, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil || at.IsZero() {
		return time.Time{}, loci.FieldErrorf(field, "must be a time like 2026-11-20T16:00:00Z (RFC 3339)")
	}
	return at, nil
}

// optionalID reads an id; "" is the zero id.
func optionalID[T ~[16]byte](field, s string) (T, error) {
	if s == "" {
		return T{}, nil
	}
	id, err := loci.ParseID[struct{}](s)
	if err != nil {
		return T{}, loci.FieldErrorf(field, "is not an id: %s", err)
	}
	return T(id), nil
}

// memoryIDs reads ids and says which is wrong if one is.
func memoryIDs(field string, texts []string) ([]loci.MemoryID, error) {
	if len(texts) > app.MaxSuperseded {
		return nil, tooMany(field, len(texts), app.MaxSuperseded)
	}
	ids := make([]loci.MemoryID, len(texts))
	for i, text := range texts {
		var err error
		if ids[i], err = memoryID(fmt.Sprintf("%s[%d]", field, i), text); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// presentArgs ask for what holds at a time, as far as is known now; whenArgs also for what was known at one.
type presentArgs struct {
	AsOf       string `json:"as_of"`
	Superseded bool   `json:"include_superseded"`
}

type whenArgs struct {
	presentArgs
	KnownAt string `json:"known_at"`
}

func (in *presentArgs) when() (w loci.When, err error) {
	w.Superseded = in.Superseded
	w.AsOf, err = instant("as_of", in.AsOf)
	return w, err
}

func (in *whenArgs) when() (w loci.When, err error) {
	if w, err = in.presentArgs.when(); err != nil {
		return w, err
	}
	w.KnownAt, err = instant("known_at", in.KnownAt)
	return w, err
}
