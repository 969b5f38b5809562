package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/proposed"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
)

// printJSON writes v for a program to read, without escaping < and >.
func (p *program) printJSON(v any) error {
	b, err := loci.EncodeJSON(v)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err = out.WriteTo(p.out)
	return err
}

func (p *program) printf(format string, args ...any) {
	_, err := fmt.Fprintf(p.out, format, args...)
	p.wrote(err)
}

// wrote keeps the first error of standard output. A command fails if its result could not be written.
func (p *program) wrote(err error) {
	if p.unwritten == nil {
		p.unwritten = err
	}
}

// note prints to standard error what is not part of the result.
func (p *program) note(format string, args ...any) {
	p.meter.clear()
	fmt.Fprintln(p.err, p.onSameData(fmt.Sprintf(format, args...)))
}

// answer prints the result of a command: v as JSON, or lines of text. It returns err if the command failed.
func (p *program) answer(v any, err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(v)
	}
	p.printf("%s\n", strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
	return nil
}

// created prints the id of a new thing, and at a terminal its title.
func (p *program) created(v any, err error, id fmt.Stringer, title string) error {
	if !p.screen.terminal {
		return p.answer(v, err, "%s", id)
	}
	return p.answer(v, err, "created %s: %s", id, cut(title, 100))
}

// show prints one thing: v as JSON, or its fields as pairs of a name and a value. It returns err if there is one.
func (p *program) show(v any, err error, fields ...string) error {
	if err != nil || p.json {
		return p.answer(v, err, "")
	}
	p.printFields(fields...)
	return nil
}

// done says what was done to the thing that has this id.
func (p *program) done(err error, what, id string) error {
	return p.answer(map[string]any{"id": id, what: true}, err, "%s %s", what, id)
}

func (p *program) doneTo(err error, what string, who loci.Person) error {
	text := who.UserID.String()
	if who.Email != "" {
		text += ": " + who.Email
	}
	return p.answer(map[string]any{"id": who.UserID, "email": who.Email, what: true}, err, "%s %s", what, text)
}

// errNotConfirmed ends a command whose question the person did not answer with yes.
var errNotConfirmed = errors.New("not confirmed")

// sure asks the person at a terminal whether to do something that cannot be undone.
func (p *program) sure(ctx context.Context, verb, noun, name string) error {
	what := verb + " " + noun + " " + quoted(cut(name, 100))
	return p.agreed(ctx, strings.ToUpper(what[:1])+what[1:]+"?", what, "--yes")
}

// erase deletes a thing with do, if the person at a terminal agrees.
func (p *program) erase(ctx context.Context, noun, name string, id fmt.Stringer, do func() error) error {
	err := p.sure(ctx, "delete", noun, name)
	if err == nil {
		err = do()
	}
	return p.done(err, "deleted", id.String())
}

// agreed asks on standard error whether to go on with what the command does, unless the person passed --yes. Without a
// terminal, nobody would read the question: the refusal names the options instead.
func (p *program) agreed(ctx context.Context, question, what, options string) error {
	if p.yes {
		return nil
	}
	if !isTerminal(p.in) {
		return usagef("cannot %s: %w; pass %s", what, errNotConfirmed, options)
	}
	yes, err := p.confirm(ctx, question)
	if err == nil && !yes {
		err = usagef("did not %s: %w", what, errNotConfirmed)
	}
	return err
}

// confirm returns an error only if ctx ended. Any answer but yes means no, and so does the end of the input.
func (p *program) confirm(ctx context.Context, question string) (bool, error) {
	if p.answers == nil { // one reader: it may read ahead to the answer of the next question
		p.answers = bufio.NewReader(untilDone(ctx, p.in))
	}
	p.note("%s [y/N]", question)
	answer, err := p.answers.ReadString('\n')
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil && answer == "" {
		return false, nil
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

// more tells how to see the next page.
func (p *program) more(cursor string) {
	if cursor != "" {
		p.note("more results: repeat with --cursor %s", cursor)
	}
}

func cut(s string, most int) string { return loci.Shorten(loci.OneLine(s), most) }

// quoted returns a text quoted as one word for a shell.
func quoted(s string) string { return proposed.Quoted(s) }

// showTime is a time in the time zone of this machine. In a terminal, a time within a day is relative to now.
func (p *program) showTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	if p.screen.terminal {
		if text := nearTime(time.Since(t)); text != "" {
			return text
		}
	}
	return t.Local().Format("2006-01-02 15:04")
}

// nearTime is how long ago something was, or will be, if that is less than a day.
func nearTime(ago time.Duration) string {
	format := "%d %s ago"
	if ago < 0 {
		ago, format = -ago, "in %d %s"
	}
	switch {
	case ago < time.Minute:
		return "now"
	case ago < time.Hour:
		return fmt.Sprintf(format, int(ago.Minutes()), "min")
	case ago < 24*time.Hour:
		return fmt.Sprintf(format, int(ago.Hours()), "h")
	}
	return ""
}

func showID[Kind any](id loci.ID[Kind]) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// joined separates names by commas.
func joined[T ~string](list []T) string {
	return strings.Join(loci.Texts(list), ",")
}

// readers tells which assistants may read a memory.
func readers(m *loci.Memory) string {
	switch vendors := joined(m.AllowedVendors); {
	case m.Scope != loci.ScopeAgent || vendors == "":
		return vendors
	case slices.Contains(m.AllowedVendors, loci.AnyVendor):
		return "sessions of its agent"
	default:
		return vendors + " in sessions of its agent"
	}
}

// printMemory writes a whole memory: attributes, then the content.
func (p *program) printMemory(m *loci.Memory, a around) {
	p.printf("%s\n\n", p.bold(loci.OneLine(m.Title)))
	importance, scope, secrets, superseded, trashed, origin := strconv.Itoa(m.Importance), "", "", "", "", m.Origin
	if m.Accepted() {
		origin = "proposed by " + m.Origin + ", accepted by " + cmp.Or(a.owner, "you")
	}
	if m.Pinned {
		importance += ", pinned"
	}
	if m.SecretsKept {
		secrets = "kept"
	}
	if m.Scope != loci.ScopeGlobal {
		scope = string(m.Scope)
	}
	if !m.SupersededBy.IsZero() {
		superseded = "by " + m.SupersededBy.String()
	}
	if !m.DeletedAt.IsZero() {
		trashed = "since " + p.showTime(m.DeletedAt)
	}
	p.printFields("id", m.ID.String(), "owner", a.owner, "origin", origin, "visible to", readers(m),
		"shared with", a.sharedWith, "attached", a.attached, "tags", strings.Join(m.Tags, ", "),
		"type", string(m.Type)+", "+m.Category,
		"importance", importance, "key", m.Key, "summary", m.Summary, "secrets", secrets,
		"version", fmt.Sprintf("%d, %s by %s", m.Version, m.Change, m.Editor),
		"created", p.showTime(m.CreatedAt), "updated", p.showTime(m.UpdatedAt), "scope", scope,
		"project", a.project, "agent", a.agent,
		"true from", p.showTime(m.ValidFrom), "true until", p.showTime(m.ValidTo),
		"superseded", superseded, "disputed by", strings.Join(disputes(&m.Disagreement), ", "),
		"expires", p.showTime(m.ExpiresAt), "in the trash", trashed)
	p.printf("\n%s\n", strings.TrimRight(loci.Legible(m.Content), "\n"))
}

func (p *program) saved(what string, m *loci.Memory) error {
	changed := memory.Changed(m)
	if p.json && changed.Hint != "" {
		return p.printJSON(changed)
	}
	err := p.answer(m, nil, "%s", savedLine(what, m))
	if err == nil && changed.Hint != "" {
		p.note("%s", changed.Hint)
	}
	return err
}

// savedSince is saved for a change that began at that time. A memory that it did not change is older.
func (p *program) savedSince(began time.Time, what string, m *loci.Memory) error {
	if m.UpdatedAt.Before(loci.CutTime(began)) {
		what = "unchanged"
	}
	return p.saved(what, m)
}

// printVisible prints which assistants and which other people may read a memory now that this has changed.
func (p *program) printVisible(ctx context.Context, in *instance, m *loci.Memory) {
	if p.json { // the memory says it
		return
	}
	switch {
	case m.Scope != loci.ScopeAgent && slices.Contains(m.AllowedVendors, loci.AnyVendor):
		p.printf("visible to all assistants\n")
	default:
		p.printf("visible to %s\n", readers(m))
	}
	p.printShared(ctx, in, m)
}

// printShared prints which other people may read a memory, if any.
func (p *program) printShared(ctx context.Context, in *instance, m *loci.Memory) {
	if people := in.names().sharedWith(ctx, m); people != "" {
		p.printf("shared with %s\n", people)
	}
}

func savedLine(what string, m *loci.Memory) string {
	return fmt.Sprintf("%s %s (version %d): %s", what, m.ID, m.Version, titleOf(m.Title, m.SecretsKept))
}

// titleOf returns the beginning of a text, with its secrets masked unless their person keeps them.
func titleOf(text string, kept bool) string { return cut(sensitive.Mask(text, kept), 60) }
