package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
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
		return "", loci.FieldErrorf(flag, "must be %s or all, not %q", strings.Join(loci.Texts(states), ", "),
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

// leastID is the shortest beginning of an id that finds a thing, in characters.
const leastID = 4

// resolver finds the id that begins with s, which isn't a whole id.
type resolver[T ~[16]byte] func(ctx context.Context, c *call, s string) (T, error)

// checkID rejects what is neither an id nor the beginning of one. see is the command that lists ids.
func checkID(s, noun, see string) error {
	if _, _, err := loci.ParseIDPrefix[struct{}](s, 1); err == nil && len(s) < leastID {
		return loci.Errorf(loci.Invalid,
			"%q is too short for the beginning of a %s id: type at least %d characters; see `%s`", s, noun, leastID, see)
	}
	if first, last, err := loci.ParseIDPrefix[struct{}](s, leastID); err != nil || first == last && first.IsZero() {
		byKey := ""
		if noun == "memory" && s != "" {
			byKey = "; if it is the key of one, run: loci list --key " + quoted(cut(s, 60))
		}
		return loci.Errorf(loci.Invalid, "%q is not a valid %s id; see `%s`%s", cut(s, 60), noun, see, byKey)
	}
	return nil
}

// resolve reads an id, or finds the one that begins with s.
func resolve[T ~[16]byte](ctx context.Context, c *call, s, noun, see string, find resolver[T]) (T, error) {
	if err := checkID(s, noun, see); err != nil {
		return T{}, err
	}
	if id, err := loci.ParseID[struct{}](s); err == nil {
		return T(id), nil
	}
	return find(ctx, c, s)
}

// among finds an id in what a person may see.
func among[T ~[16]byte](noun, see string, list func(context.Context, *call) ([]T, error)) resolver[T] {
	return func(ctx context.Context, c *call, s string) (T, error) {
		all, err := list(ctx, c)
		if err != nil {
			return T{}, err
		}
		return beginning(all, s, noun, see)
	}
}

// beginning returns the one id of a list that begins with s.
func beginning[T ~[16]byte](list []T, s, noun, see string) (T, error) {
	id, err := gate.FindID(loci.Principal{}, s, noun, list, nil, func(id T) T { return id })
	return id, orNoSuch(err, noun, s, see)
}

// memoryID reads the id of a memory, or finds the one that begins with s.
func (in *instance) memoryID(ctx context.Context, who loci.Principal, s string) (loci.MemoryID, error) {
	if err := checkID(s, "memory", "loci list"); err != nil {
		return loci.MemoryID{}, err
	}
	id, err := in.app.Memory.Resolve(ctx, who, s)
	if loci.CodeOf(err) == loci.NotFound {
		err = advised{loci.WrapError(loci.NotFound, err, "no memory has an id that begins with %s; see `loci list`",
			strings.ToLower(s))}
	}
	return id, err
}

func (in *instance) memoryIDs(ctx context.Context, who loci.Principal, texts []string) ([]loci.MemoryID, error) {
	var ids []loci.MemoryID
	for _, s := range texts {
		id, err := in.memoryID(ctx, who, s)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func checkMemoryIDs(texts []string) error {
	for _, s := range texts {
		if err := checkID(s, "memory", "loci list"); err != nil {
			return err
		}
	}
	return nil
}

func resolveMemory(ctx context.Context, c *call, s string) (loci.MemoryID, error) {
	return c.memoryID(ctx, c.who, s)
}

var resolveSuggestion = among("suggestion", "loci suggestion list --state all",
	func(ctx context.Context, c *call) ([]loci.SuggestionID, error) {
		list, err := gate.AllPages(func(cursor string) (gate.Page[loci.Suggestion], error) {
			return c.app.Memory.Suggestions(ctx, c.who, memory.SuggestionsRequest{Limit: gate.MaxPage, Cursor: cursor})
		})
		return loci.Mapped(list, func(s loci.Suggestion) loci.SuggestionID { return s.ID }), err
	})

const seeItems = "loci node show NODE"

// itemID reads the id of an item of a memory node, or finds the one that begins with s.
func (c *call) itemID(ctx context.Context, of loci.NodeID, s string) (loci.NodeItemID, error) {
	return resolve(ctx, c, s, "node item", seeItems,
		among("node item", seeItems, func(ctx context.Context, c *call) ([]loci.NodeItemID, error) {
			items, err := c.app.Node.Items(ctx, c.who, of)
			return loci.Mapped(items, func(i loci.NodeItem) loci.NodeItemID { return i.ID }), err
		}))
}

// findNamed returns the item of a list with that id; else the one of that name, also in other capitals; else the one
// whose id begins with s. err is that of reading the list.
func findNamed[T any](list []T, err error, s string, of func(T) (id, name string), noun, see string) (none T, _ error) {
	if err != nil {
		return none, err
	}
	var called, spelled, begun []T
	var names []string
	for _, x := range list {
		id, name := of(x)
		if id == strings.ToLower(s) {
			return x, nil
		}
		if name != "" && name == s {
			called = append(called, x)
		}
		if name != "" && strings.EqualFold(name, s) {
			spelled = append(spelled, x)
		}
		if len(s) >= leastID && strings.HasPrefix(id, strings.ToLower(s)) {
			begun = append(begun, x)
		}
		names = append(names, name)
		if _, err := loci.ParseID[struct{}](id); err != nil { // people choose such ids
			names = append(names, id)
		}
	}
	for _, found := range [][]T{called, spelled, begun} {
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			ids := loci.Mapped(found, func(x T) string { id, _ := of(x); return id })
			return found[0], loci.Errorf(loci.Invalid, "%d %ss match %s; specify one by its id: %s", len(found), noun,
				quoted(cut(s, 60)), strings.Join(ids, ", "))
		}
	}
	return none, noSuchButNear(noun, s, see, names)
}

// told adds to the ids in an error of findNamed what else tells the things apart.
func told[T any](err error, list []T, of func(T) (id, text string)) error {
	if loci.CodeOf(err) != loci.Invalid {
		return err
	}
	text := err.Error()
	for _, x := range list {
		if id, more := of(x); more != "" {
			text = strings.Replace(text, id, id+" ("+more+")", 1)
		}
	}
	return loci.WrapError(loci.Invalid, err, "%s", text)
}

func noSuchButNear(noun, name, see string, known []string) error {
	near := didYouMean(name, known)
	if near == "" {
		return noSuch(noun, name, see)
	}
	return advised{loci.Errorf(loci.NotFound, "%s %s not found%s See `%s`", noun, quoted(cut(name, 100)), near, see)}
}
