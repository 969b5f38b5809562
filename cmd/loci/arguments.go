package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/spf13/cobra"
)

// parseVendors reads the vendors of a flag or an argument; nil if it is not set. It rejects a flag
// with an empty value, such as that of an unset variable in a script: without vendors, all may read.
func parseVendors(field string, names []string) ([]loci.Vendor, error) {
	if names != nil && len(names) == 0 {
		return nil, loci.CheckVendors(nil)
	}
	var vendors []loci.Vendor
	for _, name := range names {
		name = strings.TrimSpace(name) // "claude, cursor"
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

// given returns the value of a flag if the command line has it, else nil.
func given[T any](cmd *cobra.Command, flag string, value *T) *T {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return value
}

// edited sets a field to the value of a flag, if the flag was passed.
func edited[T any](cmd *cobra.Command, flag string, value T) loci.Edited[T] {
	if !cmd.Flags().Changed(flag) {
		return loci.Edited[T]{}
	}
	return loci.Set(value)
}

// parseOnOff reads a switch. It also takes what people type for on and off in other programs.
func parseOnOff(field, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "on", "true", "yes":
		return true, nil
	case "off", "false", "no":
		return false, nil
	}
	return false, loci.FieldErrorf(field, "must be on or off, not %q", cut(value, 60))
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

func splitSetting(arg, example string) (name, value string, err error) {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		return "", "", usagef("%q is not SETTING=VALUE, such as %s", cut(arg, 60), example)
	}
	return name, value, nil
}

// parsePast reads the time of a flag that usually looks back: 2h is before now. "" is the zero time.
func parsePast(flag, s string) (time.Time, error) { return parseNear(flag, s, false) }

// parseFuture reads the time of a flag that usually looks ahead: 2h is after now. "" is the zero time.
func parseFuture(flag, s string) (time.Time, error) { return parseNear(flag, s, true) }

func parseNear(flag, s string, ahead bool) (time.Time, error) {
	t, err := parseZoned(flag, s, ahead)
	return t.UTC(), err
}

// parseZoned is parseNear that keeps the zone of the time: that of its offset, or of TZ.
func parseZoned(flag, s string, ahead bool) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := loci.ParseTimeNear(s, time.Now(), ahead)
	if err != nil {
		return t, loci.FieldErrorf(flag, "%s", err)
	}
	return t, nil
}

// span is a flag that takes a span of time such as 12h or 30d. 0 is allowed.
type span time.Duration

func (s *span) String() string { return showSpan(time.Duration(*s)) }
func (s *span) Type() string   { return "span" }

func (s *span) Set(text string) error {
	if text == "0" || text == "0s" {
		*s = 0
		return nil
	}
	d, err := loci.ParseSpan(text)
	*s = span(d)
	return err
}

// showSpan writes whole hours and days as people do.
func showSpan(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d > day && d%day == 0:
		return strconv.Itoa(int(d/day)) + "d"
	case d > 0 && d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return d.String()
}
