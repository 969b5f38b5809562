package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/loci-memory/loci"
)

// The exit codes. docs/cli.md says them to people.
const (
	exitOK          = 0
	exitFailed      = 1   // anything that has no code of its own
	exitUsage       = 2   // the command line, the configuration or a value in it is wrong
	exitNotFound    = 3   // no such memory, key, backup or data directory
	exitRefused     = 4   // not allowed
	exitStorage     = 5   // the data directory cannot be used: full, read-only, newer, damaged
	exitConflict    = 6   // it exists already, is in use, or has another version
	exitInterrupted = 130 // Ctrl-C
)

// exitCodes says how the process ends for each code of an error.
var exitCodes = map[loci.Code]int{
	loci.Invalid:         exitUsage,
	loci.TooLarge:        exitUsage,
	loci.NotFound:        exitNotFound,
	loci.Unauthenticated: exitRefused,
	loci.Forbidden:       exitRefused,
	loci.StepUp:          exitRefused,
	loci.Full:            exitStorage,
	loci.Unavailable:     exitStorage,
	loci.Conflict:        exitConflict,
	loci.Precondition:    exitConflict,
	loci.RateLimited:     exitFailed,
	loci.Upstream:        exitFailed,
}

// usageError is a command line that cannot be understood.
type usageError struct{ cause error }

func (e usageError) Error() string { return e.cause.Error() }
func (e usageError) Unwrap() error { return e.cause }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errUnwell ends a check that has already said what is wrong.
var errUnwell = errors.New("not everything is well; see above")

func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	if code, ok := exitCodes[loci.CodeOf(err)]; ok {
		return code
	}
	return exitFailed
}

// report writes an error to the person at the terminal, in one line or one
// JSON object. The whole text is shown, causes included: who runs the command
// line owns the data.
func report(w io.Writer, err error, asJSON bool) {
	text := loci.OneLine(explain(err))
	if !asJSON {
		fmt.Fprintln(w, "loci:", text)
		return
	}
	body := struct {
		Error string `json:"error"`
		Code  string `json:"code"`
		Field string `json:"field,omitempty"`
		Exit  int    `json:"exit"`
		// Items are the reasons one by one, where a call had several items.
		Items []loci.ItemError `json:"items,omitempty"`
	}{text, errorCode(err), loci.FieldOf(err), exitCode(err), itemsOf(err)}
	_ = json.NewEncoder(w).Encode(body)
}

func itemsOf(err error) []loci.ItemError {
	var several *loci.ItemsError
	if errors.As(err, &several) {
		return several.Items
	}
	return nil
}

func explain(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted; what was acknowledged before is kept, and the same command can be run again"
	}
	return err.Error()
}

func errorCode(err error) string {
	if c := loci.CodeOf(err); c != "" {
		return string(c)
	}
	switch exitCode(err) {
	case exitUsage:
		return "usage"
	case exitInterrupted:
		return "interrupted"
	}
	return "failed"
}
