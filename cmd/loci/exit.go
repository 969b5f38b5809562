package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// These are the exit codes. docs/cli.md lists them.
const (
	exitOK          = 0
	exitFailed      = 1   // any other failure
	exitUsage       = 2   // invalid command line, configuration or value
	exitNotFound    = 3   // memory, key, backup or data directory not found
	exitRefused     = 4   // not allowed
	exitStorage     = 5   // data directory unusable: full, read-only, newer, damaged
	exitConflict    = 6   // exists already, is in use, or has another version
	exitInterrupted = 130 // Ctrl-C
)

// exitCodes maps error codes to exit codes.
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

// usageError is an invalid command line.
type usageError struct{ cause error }

func (e usageError) Error() string { return e.cause.Error() }
func (e usageError) Unwrap() error { return e.cause }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// stoppedError is an interrupt of a command that tells how far it came.
type stoppedError struct {
	text  string
	cause error
}

func (e stoppedError) Error() string { return e.text }
func (e stoppedError) Unwrap() error { return e.cause }

// errUnwell ends a check that has printed the problems.
var errUnwell = errors.New("found problems; see above")

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

// report prints each error on a line, or one JSON object. It prints the whole text with its causes, because the person
// at the command line owns the data.
func (p *program) report(err error, asJSON bool) {
	all := separate(err)
	texts := loci.Mapped(all, func(err error) string {
		text := explain(err)
		if p.settings != nil && isDamage(err) {
			text += "; " + p.remedy(err)
		}
		return p.onSameData(loci.OneLine(text))
	})
	if !asJSON {
		for _, text := range texts {
			fmt.Fprintln(p.err, "loci:", text)
		}
		return
	}
	text := strings.Join(texts, "; ")
	body := struct {
		Error string `json:"error"`
		Code  string `json:"code"`
		Field string `json:"field,omitempty"`
		Exit  int    `json:"exit"`
		// Items are the errors of a call with several items.
		Items []loci.ItemError `json:"items,omitempty"`
	}{text, errorCode(err), loci.FieldOf(err), exitCode(err), itemsOf(err)}
	_ = json.NewEncoder(p.err).Encode(body)
}

// separate returns the errors that errors.Join has joined, of several interrupts only one. Other errors with several
// causes, such as fmt.Errorf with two %w, are one error.
func separate(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || reflect.TypeOf(err) != reflect.TypeOf(errors.Join(err)) {
		return []error{err}
	}
	interrupted := false
	for _, x := range joined.Unwrap() {
		for _, one := range separate(x) {
			if again := errors.Is(one, context.Canceled); !again || !interrupted {
				all, interrupted = append(all, one), interrupted || again
			}
		}
	}
	return all
}

func itemsOf(err error) []loci.ItemError {
	if several, ok := errors.AsType[*loci.ItemsError](err); ok {
		return several.Items
	}
	return nil
}

func explain(err error) string {
	if stopped, ok := errors.AsType[stoppedError](err); ok {
		return stopped.text
	}
	if errors.Is(err, context.Canceled) {
		return "interrupted; acknowledged changes are kept, and you can run the command again"
	}
	why, replaced := errors.AsType[*memory.ReplacedError](err)
	if !replaced {
		return err.Error()
	}
	text := err.Error()
	if why.RevertTo != 0 {
		text += fmt.Sprintf(": `loci revert %s %d`", why.ID, why.RevertTo)
	}
	return text + fmt.Sprintf("; to read the replaced one, run: loci show %s --superseded", why.ID)
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
