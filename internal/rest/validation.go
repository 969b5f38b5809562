package rest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// These are the largest request bodies, in bytes: of most routes, of raw notes, of those that store
// many things at once, and of events.
const (
	maxBody   = 1 << 20
	maxNotes  = 2 << 20
	maxBulk   = 16 << 20
	maxEvents = 64 << 20
)

// huma keeps its error type and its texts in package variables. Only this package uses huma.
func init() {
	huma.ValidateStrictCasing = true
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return invalid(nil, status, msg, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		return invalid(ctx.Operation(), status, msg, errs)
	}
	validation.MsgUnexpectedProperty = unknownField
	validation.MsgExpectedRFC3339DateTime = "must be a time like 2026-11-20T16:00:00Z (RFC 3339), " +
		"a date, or a span like 3d"
	validation.MsgExpectedBePattern = "must be %s"
	validation.MsgExpectedRFC4122UUID = notUUID + "%.0s"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedNumber = "must be a number"
	validation.MsgExpectedInteger = "must be a whole number"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedArray = "must be a list"
	validation.MsgExpectedObject = "must be an object"
	validation.MsgExpectedOneOf = "must be one of: %s"
	// A limit is a float64, which %v would print as 3e+09.
	validation.MsgExpectedMinimumNumber = "must be at least %.10g"
	validation.MsgExpectedMaximumNumber = "must be at most %.10g"
	validation.MsgExpectedMinLength = tooShort
	validation.MsgExpectedMaxLength = loci.TooLongText
	validation.MsgExpectedMinItems = "has too few entries; at least %d is needed"
	validation.MsgExpectedMaxItems = tooMany
	validation.MsgExpectedRequiredProperty = "%s" + isRequired
}

const (
	unknownField = "is an unknown field"
	isRequired   = " is required"
	notUUID      = "must be a UUID of 36 characters"
	tooMany      = "has too many entries; at most %d are allowed"
	tooShort     = "must have at least %d characters"
	maxProblems  = 10
	// missingParameter is huma's text.
	missingParameter = "required query parameter is missing"
)

// invalid translates the errors that huma found. It does not repeat rejected values, because they
// may be secrets or huge.
func invalid(op *huma.Operation, code int, msg string, errs []error) huma.StatusError {
	switch code {
	case http.StatusRequestEntityTooLarge:
		limit := int64(maxBody)
		if op != nil {
			limit = op.MaxBodyBytes - 1
		}
		return newProblem(loci.Errorf(loci.TooLarge, "the body is larger than %d bytes; send less, or split it", limit))
	case http.StatusRequestTimeout:
		return problemOf(code, string(loci.Invalid), "", bodyTooSlow)
	case http.StatusUnsupportedMediaType:
		return problemOf(code, string(loci.Invalid), "Content-Type", "Content-Type must be application/json")
	case http.StatusInternalServerError:
		if msg != "cannot read request body" { // huma's text for a broken connection or a false length
			return newProblem(errors.New(msg))
		}
		return newProblem(loci.Errorf(loci.Invalid, "the body ended early; send it again"))
	}
	found := problemsIn(op, errs)
	if len(found) == 0 {
		return newProblem(loci.Errorf(loci.Invalid, "the body is missing; send %s", wantedBody(op)))
	}
	p := problemOf(http.StatusBadRequest, string(loci.Invalid), found[0].Field, found[0].Detail)
	if len(found) > 1 {
		p.Errors = found[:min(len(found), maxProblems)]
	}
	return p
}

func wantedBody(op *huma.Operation) string {
	if op != nil && op.RequestBody != nil && op.RequestBody.Content[jsonLines] != nil {
		return "lines of JSON"
	}
	return "a JSON object"
}

// problemsIn lists the errors, unknown fields first: a misspelt name explains the required field that is missing.
func problemsIn(op *huma.Operation, errs []error) []client.FieldProblem {
	found := make([]client.FieldProblem, 0, len(errs))
	for _, err := range errs {
		if detail, ok := errors.AsType[*huma.ErrorDetail](err); ok {
			found = append(found, fieldProblem(op, detail))
		}
	}
	slices.SortStableFunc(found, func(a, b client.FieldProblem) int {
		if d := rank(a) - rank(b); d != 0 || rank(a) != 0 {
			return d
		}
		return strings.Compare(a.Field, b.Field)
	})
	return slices.Compact(found)
}

func rank(p client.FieldProblem) int {
	if strings.HasSuffix(p.Detail, unknownField) || p.Detail == originText {
		return 0
	}
	return 1
}

const originText = "origin cannot be set; it comes from the credential"

func fieldProblem(op *huma.Operation, d *huma.ErrorDetail) client.FieldProblem {
	place, field, _ := strings.Cut(d.Location, ".")
	switch {
	case strings.HasSuffix(d.Message, isRequired):
		name := strings.TrimSuffix(d.Message, isRequired)
		if field != "" {
			name = field + "." + name
		}
		return client.FieldProblem{Field: name, Detail: name + isRequired}
	case strings.HasSuffix(d.Message, standsTwice):
		name := plain(strings.TrimSuffix(d.Message, standsTwice))
		if name == "" {
			return client.FieldProblem{Detail: "a name" + standsTwice}
		}
		return client.FieldProblem{Field: name, Detail: name + standsTwice}
	case strings.HasSuffix(d.Message, wrongForm):
		return client.FieldProblem{Field: strings.TrimSuffix(d.Message, wrongForm), Detail: d.Message}
	case d.Message == fmt.Sprintf(tooShort, 1):
		return client.FieldProblem{Field: field, Detail: field + " " + loci.EmptyText + "; it needs at least 1 character"}
	case d.Message == missingParameter:
		return client.FieldProblem{Field: field, Detail: field + isRequired}
	case d.Message == unknownField && field == "origin":
		return client.FieldProblem{Field: field, Detail: originText}
	case d.Message == unknownField || d.Message == "unknown query parameter":
		return unknown(op, place, field)
	case d.Message == "invalid integer" || d.Message == "invalid boolean" || strings.HasPrefix(d.Message, "invalid "):
		return client.FieldProblem{Field: field, Detail: field + " " + wanted(op, field)}
	case field == "" && place == "body" && strings.HasPrefix(d.Message, "must "):
		return client.FieldProblem{Detail: "the body " + d.Message}
	case field == "":
		return client.FieldProblem{Detail: d.Message}
	}
	return client.FieldProblem{Field: field, Detail: field + " " + d.Message}
}

// plain returns a name that the caller made up if it looks like a normal name, or "".
func plain(name string) string {
	const usual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.[]"
	if len(name) >= 50 || strings.Trim(name, usual) != "" {
		return ""
	}
	return name
}

func unknown(op *huma.Operation, place, field string) client.FieldProblem {
	name := plain(field)
	if place == "query" {
		var known []string
		for _, p := range op.Parameters {
			if p.In == "query" {
				known = append(known, p.Name)
			}
		}
		hint := "; this route has none"
		if len(known) > 0 {
			hint = "; known parameters are " + strings.Join(known, ", ")
		}
		if name == "" {
			return client.FieldProblem{Detail: "a query parameter " + unknownField + hint}
		}
		return client.FieldProblem{Field: name, Detail: name + " is an unknown query parameter" + hint}
	}
	if name == "" {
		return client.FieldProblem{Detail: "a name in the body " + unknownField}
	}
	return client.FieldProblem{Field: name, Detail: name + " " + unknownField}
}

// wanted describes the values that a parameter accepts.
func wanted(op *huma.Operation, name string) string {
	if op == nil {
		return "has the wrong form"
	}
	for _, p := range op.Parameters {
		if p.Name != name || p.Schema == nil {
			continue
		}
		switch {
		case p.Schema.Type == huma.TypeInteger && p.Schema.Minimum != nil && p.Schema.Maximum != nil:
			return "must be a whole number from " + number(*p.Schema.Minimum) + " to " + number(*p.Schema.Maximum)
		case p.Schema.Type == huma.TypeInteger:
			return validation.MsgExpectedInteger
		case p.Schema.Type == huma.TypeBoolean:
			return validation.MsgExpectedBoolean
		case p.Schema.Format == "date-time":
			return validation.MsgExpectedRFC3339DateTime
		case p.Schema.Format == "uuid":
			return notUUID
		}
	}
	return "has the wrong form"
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
