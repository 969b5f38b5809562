package arc

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// trouble is what kind of thing went wrong in a call.
type trouble int

const (
	unreachable trouble = iota // no answer; the same call may succeed later
	unanswered                 // Arc is there, but can't do it now; the same call may succeed later
	refused                    // Arc does not take this call; the rows may be the reason
	denied                     // Arc knows neither the key nor the database; an operator must act
)

// fault is a failed call. Its text is for the log, not for callers.
type fault struct {
	kind   trouble
	status int
	text   string
	cause  error
}

func (f *fault) Error() string {
	switch {
	case f.cause != nil && f.text == "":
		return "arc: " + f.cause.Error()
	case f.status == 0:
		return "arc: " + f.text
	}
	return fmt.Sprintf("arc: status %d: %s", f.status, f.text)
}

func (f *fault) Unwrap() error { return f.cause }

// faultOf classifies an answer that is no success. Arc answers 500 to rows of a wrong type, too.
func faultOf(status int, body []byte) *fault {
	f := &fault{kind: unanswered, status: status, text: strings.TrimSpace(strings.ToValidUTF8(string(body), "?"))}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound,
		status >= 300 && status <= 399:
		f.kind = denied
	case status != http.StatusTooManyRequests && status != http.StatusRequestTimeout && status <= 500:
		f.kind = refused
	}
	return f
}

func kindOf(err error) trouble {
	if f, ok := errors.AsType[*fault](err); ok {
		return f.kind
	}
	return unreachable
}

// isForeign reports whether Arc found that none of the rows asked for has a column that all of ours
// have. Arc has no codes for its errors, and says so with status 500.
func isForeign(err error) bool {
	var f *fault
	return errors.As(err, &f) && f.status == http.StatusInternalServerError && strings.Contains(f.text, "Binder Error") &&
		slices.ContainsFunc(columns, func(c field) bool {
			return strings.Contains(f.text, `column \"`+string(c.name)+`\" not found`)
		})
}

// unavailable turns an error of a call into what a caller may see. It keeps an error that has a code.
func unavailable(err error) error {
	if err == nil || loci.CodeOf(err) != "" {
		return err
	}
	if errors.Is(err, errEgress) {
		return errEgress
	}
	switch kindOf(err) {
	case denied:
		if strings.Contains(err.Error(), "delete.enabled") { // Arc has no code for it, and status 403 also for keys
			return loci.WrapError(loci.Unavailable, err,
				"the Arc of this org deletes nothing; its operator can allow it (delete.enabled = true)")
		}
		return loci.WrapError(loci.Unavailable, err,
			"Arc refuses the key or the database of this org; an operator can look at them with loci org show-arc")
	case unreachable:
		return loci.WrapError(loci.Unavailable, err, "cannot reach the Arc of this org; try again later")
	}
	return loci.WrapError(loci.Unavailable, err, "the Arc of this org cannot answer; try again later")
}
