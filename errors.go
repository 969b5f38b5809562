package loci

import (
	"errors"
	"fmt"
	"strings"
)

// Code classifies an error by what the caller can do about it. Codes are stable, so clients may
// switch on them. An error without a code is internal: Loci logs its text and never shows it.
type Code string

// The codes. Add a code only if callers would act differently.
const (
	Invalid         Code = "invalid"             // correct the input; Field names the wrong part
	Unauthenticated Code = "unauthenticated"     // send a valid credential
	Forbidden       Code = "forbidden"           // the credential lacks the right
	StepUp          Code = "step_up_required"    // sign in again in the browser, then repeat the request
	NotFound        Code = "not_found"           // absent, or not visible to the caller
	Conflict        Code = "conflict"            // it already exists, or is in another state
	Precondition    Code = "precondition_failed" // If-Match named another version
	TooLarge        Code = "too_large"           // send less
	RateLimited     Code = "rate_limited"        // wait, then try again
	Full            Code = "storage_full"        // free disk space; Loci wrote nothing
	Unavailable     Code = "unavailable"         // not configured, or temporarily unavailable
	Upstream        Code = "upstream"            // a service that Loci called failed
)

// Codes returns every code, for tables that must be complete.
func Codes() []Code {
	return []Code{Invalid, Unauthenticated, Forbidden, StepUp, NotFound, Conflict, Precondition,
		TooLarge, RateLimited, Full, Unavailable, Upstream}
}

// Error is an error whose text is safe to show to the caller.
type Error struct {
	Code  Code
	Field string // the wrong input, as the caller spells it; may be empty
	Text  string
	cause error
}

// Error returns the text that is safe to show. It omits the cause.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the hidden cause. Loci only logs it.
func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an error with a code and a text that is safe to show.
func Errorf(code Code, format string, args ...any) error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// FieldErrorf returns an Invalid error about one named field of the input.
func FieldErrorf(field, format string, args ...any) error {
	return WrapFieldError(field, nil, format, args...)
}

// WrapFieldError is FieldErrorf with a cause. Only Unwrap returns the cause.
func WrapFieldError(field string, cause error, format string, args ...any) error {
	return &Error{Code: Invalid, Field: field, Text: field + " " + fmt.Sprintf(format, args...), cause: cause}
}

// AtField returns an Invalid error about a field as one about another field. Other errors stay.
func AtField(err error, field string) error {
	before := FieldOf(err)
	if CodeOf(err) != Invalid || before == "" {
		return err
	}
	return WrapFieldError(field, err, "%s", strings.TrimPrefix(SafeText(err), before+" "))
}

// WrapError returns an error with a code, a text that is safe to show and a cause. Only Unwrap returns the cause.
func WrapError(code Code, cause error, format string, args ...any) error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...), cause: cause}
}

// NoSuchMemory returns the one NotFound error for a memory that doesn't exist, is in a state in which the caller
// cannot read it, or is invisible to the caller. Callers must not be able to distinguish the three.
func NoSuchMemory() error { return noSuchMemory }

var noSuchMemory = &Error{Code: NotFound, Text: "no such memory"}

// IsNoSuchMemory reports whether err is NoSuchMemory, and not an error that says more about it.
func IsNoSuchMemory(err error) bool {
	first, ok := errors.AsType[*Error](err)
	return ok && first == noSuchMemory
}

// CodeOf returns the code of err, or "" if err is internal or nil.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// FieldOf returns the field that err is about, or "".
func FieldOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Field
	}
	return ""
}

// SafeText returns the text of err that is safe to show: its own text if it has a code, otherwise "internal error".
func SafeText(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Text
	}
	return "internal error"
}

// ProblemKind decides what to do about a Problem.
type ProblemKind string

// The kinds of problems.
const (
	ProblemDamage     ProblemKind = "damage"     // a file is damaged, missing or not the one that belongs there
	ProblemDerived    ProblemKind = "derived"    // an index differs from the rows; a rebuild repairs it
	ProblemEvents     ProblemKind = "events"     // the event log of an org is missing
	ProblemAttachment ProblemKind = "attachment" // the bytes of an attachment are missing or damaged
	ProblemUnwritable ProblemKind = "unwritable" // this user cannot write a file
	ProblemBusy       ProblemKind = "busy"       // another process uses a file
)

// Problem is what a check of stored data found, as a sentence.
type Problem struct {
	Kind ProblemKind
	Text string
}

// Problems returns problems of one kind.
func Problems(kind ProblemKind, texts ...string) (list []Problem) {
	for _, text := range texts {
		list = append(list, Problem{kind, text})
	}
	return list
}
