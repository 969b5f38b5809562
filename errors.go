package loci

import (
	"errors"
	"fmt"
)

// Code says what a caller can do about an error. It is stable: clients may
// switch on it. An error without a code is internal: its text is logged, never
// shown.
type Code string

// The codes. A new one is added only if a caller would act differently.
const (
	Invalid         Code = "invalid"             // mend the input; Field says which part
	Unauthenticated Code = "unauthenticated"     // send a valid credential
	Forbidden       Code = "forbidden"           // this credential may not do that
	StepUp          Code = "step_up_required"    // sign in again in the browser, then repeat
	NotFound        Code = "not_found"           // absent, or not visible to the caller
	Conflict        Code = "conflict"            // the thing exists or is in another state
	Precondition    Code = "precondition_failed" // If-Match named another version
	TooLarge        Code = "too_large"           // send less
	RateLimited     Code = "rate_limited"        // wait, then try again
	Full            Code = "storage_full"        // free disk space; nothing was written
	Unavailable     Code = "unavailable"         // not configured, or not right now
	Upstream        Code = "upstream"            // a service that Loci called failed
)

// Codes returns every code, for tables that must cover them all.
func Codes() []Code {
	return []Code{Invalid, Unauthenticated, Forbidden, StepUp, NotFound, Conflict, Precondition,
		TooLarge, RateLimited, Full, Unavailable, Upstream}
}

// Error is an error whose text is safe to show to the caller.
type Error struct {
	Code  Code
	Field string // the input at fault, as the caller spells it; may be empty
	Text  string
	cause error
}

// Error returns the text that is safe to show. The cause is not part of it.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the hidden cause, which is only ever logged.
func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an error with a code and a text that is safe to show.
func Errorf(code Code, format string, args ...any) error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// FieldErrorf returns an Invalid error about one named part of the input.
func FieldErrorf(field, format string, args ...any) error {
	return &Error{Code: Invalid, Field: field, Text: field + " " + fmt.Sprintf(format, args...)}
}

// WrapError gives cause a code and a text that is safe to show; cause itself
// stays hidden behind Unwrap.
func WrapError(code Code, cause error, format string, args ...any) error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...), cause: cause}
}

// NoSuchMemory is the one NotFound for a memory that is not there, is in
// another state or may not be seen: the three must not be told apart.
func NoSuchMemory() error { return Errorf(NotFound, "no such memory") }

// CodeOf returns the code of err, or "" for an internal error (and for nil).
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// FieldOf returns the field that err is about, or "".
func FieldOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Field
	}
	return ""
}

// SafeText returns what may be shown of err: its text if it has a code,
// "internal error" if it has none.
func SafeText(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Text
	}
	return "internal error"
}
