package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
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

// before lets a command do something before its own checks, and before it opens anything.
func before(cmd *cobra.Command, do func(args []string) error) {
	check := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		err := do(args)
		if err == nil && check != nil {
			err = check(cmd, args)
		}
		return err
	}
}

// readFlag adds a flag with a text, which parse turns into the value of to before the command runs.
func readFlag[T any](cmd *cobra.Command, to *T, name, fallback, usage string,
	parse func(flag, text string) (T, error)) {
	text := cmd.Flags().String(name, fallback, usage)
	before(cmd, func([]string) (err error) {
		*to, err = parse("--"+name, *text)
		return err
	})
}

// timeFlag adds a flag with a time, which parse reads before the command runs.
func timeFlag[T any](cmd *cobra.Command, at *T, name, usage string, parse func(flag, text string) (T, error)) {
	readFlag(cmd, at, name, "", usage, parse)
}

// vendorsFlag adds --allow, whose vendors it reads before the command runs.
func vendorsFlag(cmd *cobra.Command, vendors *[]loci.Vendor, usage string) {
	names := cmd.Flags().StringSlice("allow", nil, usage)
	before(cmd, func([]string) (err error) {
		*vendors, err = parseVendors("--allow", *names)
		return err
	})
}

// These describe --allow for what assistants read, and for what they see.
const (
	mayRead = `vendors that may read it, such as claude,cursor; "*" means all (default: all)`
	maySee  = "vendors whose assistants see it, or '*' for all"
)

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

// oneOf reads the state or status that a list is limited to; "all" is "".
func oneOf[T ~string](states ...T) func(flag, text string) (T, error) {
	return func(flag, text string) (T, error) {
		switch {
		case text == "all":
			return "", nil
		case slices.Contains(states, T(text)):
			return T(text), nil
		}
		return "", loci.FieldErrorf(flag, "must be %s or all, not %q", strings.ReplaceAll(joined(states), ",", ", "),
			cut(text, 60))
	}
}

func splitSetting(arg, example string) (name, value string, err error) {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		return "", "", usagef("%q is not SETTING=VALUE, such as %s", cut(arg, 60), example)
	}
	return name, value, nil
}

// parsePast reads the time of a flag that usually looks back: 2h is before now. "" is the zero time.
func parsePast(flag, s string) (time.Time, error) {
	t, err := parseZoned(flag, s)
	return t.UTC(), err
}

// parseFuture reads the time of a flag that usually looks ahead: 2h is after now. "" is the zero time.
func parseFuture(flag, s string) (time.Time, error) {
	t, err := parseNear(flag, s, true)
	return t.UTC(), err
}

// parseZoned is parsePast that keeps the zone of the time: that of its offset, or of TZ.
func parseZoned(flag, s string) (time.Time, error) { return parseNear(flag, s, false) }

func parseNear(flag, s string, ahead bool) (time.Time, error) {
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
