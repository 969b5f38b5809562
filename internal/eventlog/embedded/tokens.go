package embedded

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// The index has two kinds of tokens: the words of contents, and tokens for other fields, which begin
// with a character that no word can have and a letter for the field.
const (
	fieldMark       = "\x01"
	fieldSession    = fieldMark + "s"
	fieldAgent      = fieldMark + "a"
	fieldUser       = fieldMark + "u"
	fieldClass      = fieldMark + "c"
	fieldType       = fieldMark + "t"
	fieldTag        = fieldMark + "g"
	fieldActor      = fieldMark + "w"
	fieldParent     = fieldMark + "p"
	fieldImportance = fieldMark + "i"
	fieldEvent      = fieldMark + "e"
)

func idToken[Kind any](field string, id loci.ID[Kind]) string {
	return field + hex.EncodeToString(id[:])
}

// eventToken returns a token that tells events of one time apart, mostly: the last byte of the id, which
// is random. The whole id would cost as much as the words of a short event. Check looks for it.
func eventToken(id loci.EventID) string { return fieldEvent + hex.EncodeToString(id[len(id)-1:]) }

func importanceToken(n int) string { return fieldImportance + strconv.Itoa(n) }

// tokensOf calls yield for the tokens of an event. It may repeat some.
func tokensOf(a *loci.Analyzer, e *loci.Event, yield func(string)) {
	a.Words(e.Content, func(w loci.Word) bool { yield(w.Stem); return true })
	if !e.SessionID.IsZero() {
		yield(idToken(fieldSession, e.SessionID))
	}
	if !e.AgentID.IsZero() {
		yield(idToken(fieldAgent, e.AgentID))
	}
	if !e.ParentID.IsZero() {
		yield(idToken(fieldParent, e.ParentID))
	}
	if e.Actor != "" {
		yield(fieldActor + e.Actor)
	}
	for _, tag := range e.Tags {
		yield(fieldTag + tag)
	}
	yield(idToken(fieldUser, e.UserID))
	yield(fieldClass + string(e.Class))
	yield(fieldType + e.Type)
	yield(importanceToken(e.Importance))
	yield(eventToken(e.ID))
}

// expression returns the query of the index, or "" if the index would not narrow the search. If it isn't
// empty, all events that w wants match it.
func (w *want) expression() string {
	f := &w.filter
	var all []string
	and := func(tokens ...string) {
		for i, t := range tokens {
			tokens[i] = quoted(t)
		}
		if len(tokens) > 0 {
			all = append(all, "("+strings.Join(tokens, " OR ")+")")
		}
	}
	for _, word := range eventlog.Words(f.Text) {
		and(word)
	}
	if !f.SessionID.IsZero() {
		and(idToken(fieldSession, f.SessionID))
	}
	if !f.AgentID.IsZero() {
		and(idToken(fieldAgent, f.AgentID))
	}
	if !w.user.IsZero() {
		and(idToken(fieldUser, w.user))
	}
	if !f.ParentID.IsZero() {
		and(idToken(fieldParent, f.ParentID))
	}
	if f.Actor != "" {
		and(fieldActor + f.Actor)
	}
	if f.AllTags {
		for _, tag := range f.Tags {
			and(fieldTag + tag)
		}
	} else {
		and(prefixed(fieldTag, f.Tags)...)
	}
	and(prefixed(fieldClass, f.Classes)...)
	and(prefixed(fieldType, f.Types)...)
	if f.MinImportance > loci.MinImportance {
		var tokens []string
		for n := f.MinImportance; n <= loci.MaxImportance; n++ {
			tokens = append(tokens, importanceToken(n))
		}
		and(tokens...)
	}
	return strings.Join(all, " AND ")
}

func quoted(token string) string { return `"` + strings.ReplaceAll(token, `"`, `""`) + `"` }

func prefixed[T ~string](field string, values []T) []string {
	tokens := make([]string, len(values))
	for i, v := range values {
		tokens[i] = field + string(v)
	}
	return tokens
}
