package pack

import (
	"cmp"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
)

// These are the kinds of things in a pack.
const (
	kindMemory = "memory"
	kindEvent  = "event"
	kindEntity = "entity"
)

// These are the reasons of the lines of a receipt.
const (
	reasonPinned    = "pinned"
	reasonMatch     = "match"
	reasonRecent    = "recent"
	reasonGraph     = "graph"
	reasonUpdated   = "updated"
	reasonBudget    = "budget"
	reasonSent      = "already_sent"
	reasonInstructs = "instructs"
	reasonCut       = "cut"
)

// candidate is something that may become a line.
type candidate struct {
	kind    string
	id      [16]byte
	version int // of what the line says; 0: it never changes
	section loci.ContextSectionName
	reason  string
	origin  string
	time    time.Time
	since   time.Time // of a memory: when that happened of which it tells
	score   float64
	whole   string // the text of the line
	kept    bool   // its owner keeps the secrets in it
	best    string // the part that fits best, for a line that has no room for the whole; "": the beginning
	note    string // what a reader should know of it
	shape   string // of an event: equal if others say the same but for numbers and ids
	alike   int    // events that this one stands for
	own     bool   // an event that the caller has logged in this session
}

type collection struct {
	pinned, others []candidate // each the best first
	nothingFits    bool
	partial        bool
}

// collect takes what was found for a goal. What belongs to the project, if there is one, comes before what matches
// equally.
func collect(found *memory.Gathered, project loci.ProjectID, own func(*loci.Event) bool) *collection {
	c := &collection{partial: found.Partial() || found.EventsPartial, nothingFits: found.NothingFits}
	for _, m := range found.Pinned {
		c.pinned = append(c.pinned, ofPinned(m))
	}
	type ranked struct {
		candidate
		rank   int
		inside bool
	}
	var list []ranked
	for i := range found.Items {
		hit := &found.Items[i]
		one := ofMemory(&hit.Memory)
		one.score, one.best = hit.Score, hit.Snippet.Plain()
		list = append(list, ranked{one, hit.Rank, hit.Memory.ProjectID == project})
	}
	for i := range found.Events {
		hit := &found.Events[i]
		one := ofEvent(&hit.Event, own)
		one.score, one.best, one.alike = hit.Score, hit.Snippet.Plain(), hit.Alike
		list = append(list, ranked{one, hit.Rank, hit.Event.ProjectID == project})
	}
	slices.SortStableFunc(list, func(x, y ranked) int { return x.rank - y.rank })
	for i := range list {
		for j := i; j > 0 && list[j].inside && !list[j-1].inside && list[j-1].score < equally*list[j].score; j-- {
			list[j-1], list[j] = list[j], list[j-1]
		}
	}
	for _, l := range list {
		c.add(l.candidate)
	}
	for i := range found.Graph {
		c.add(ofEntity(&found.Graph[i]))
	}
	for _, m := range found.Recent {
		one := ofMemory(m)
		one.reason = reasonRecent
		c.add(one)
	}
	return c
}

// equally is how much higher the score of something may be that matches equally.
const equally = 1.01

// add adds a candidate, unless it is there already. It counts an event that says the same as another one.
func (c *collection) add(one candidate) {
	same := func(o candidate) bool { return o.id == one.id }
	if slices.ContainsFunc(c.pinned, same) || slices.ContainsFunc(c.others, same) {
		return
	}
	for i := range c.others {
		if o := &c.others[i]; one.shape != "" && o.shape == one.shape && o.own == one.own {
			o.alike += one.alike + 1
			return
		}
	}
	c.others = append(c.others, one)
}

// news returns how many candidates a session has not received.
func (c *collection) news(had sent) (n int) {
	for i := range c.others {
		if !had.has(&c.others[i]) {
			n++
		}
	}
	return n
}

func (c *collection) addEvents(list []*loci.Event, own func(*loci.Event) bool) {
	for _, e := range list {
		one := ofEvent(e, own)
		one.reason = reasonRecent
		c.add(one)
	}
}

func ofPinned(m *loci.Memory) candidate {
	one := ofMemory(m)
	one.section, one.reason = loci.SectionPinned, reasonPinned
	return one
}

func ofMemory(m *loci.Memory) candidate {
	text := cmp.Or(m.Summary, m.Content)
	if title := loci.OneLine(m.Title); !strings.HasPrefix(loci.OneLine(text), strings.TrimRight(title, "… .")) {
		text = title + ": " + text
	}
	one := candidate{kind: kindMemory, id: m.ID, version: m.Version, section: loci.SectionFacts, reason: reasonMatch,
		origin: m.Origin, time: m.UpdatedAt, since: recall.Happened(m), whole: lineOf(text, m.SecretsKept),
		kept: m.SecretsKept}
	switch {
	case m.IsDecision():
		one.section = loci.SectionDecisions
	case m.Type == loci.Procedural:
		one.section = loci.SectionProcedures
	}
	switch {
	case !m.PendingSupersede.IsZero():
		one.note = "to be replaced by " + m.PendingSupersede.Short() + ", if the person agrees"
	case len(m.DisputedBy) > 0:
		one.note = "disputed by " + m.DisputedBy[0].ID.Short()
	}
	if one.note != "" { // which may change while the memory does not
		one.version |= checksum(one.note) << noteBits
	}
	return one
}

// noteBits is how many bits of the version of a line are that of its memory.
const noteBits = 31

func checksum(text string) int { return int(crc32.ChecksumIEEE([]byte(text))) }

func ofEvent(e *loci.Event, own func(*loci.Event) bool) candidate {
	text := e.Content
	if e.Actor != "" {
		text = e.Actor + ": " + text
	}
	if why := e.Reasoning(); e.Class == loci.EventDecision && why != "" {
		text += " " + why
	}
	one := candidate{kind: kindEvent, id: e.ID, section: loci.SectionEvents, reason: reasonMatch, origin: e.Origin,
		time: e.Time, whole: lineOf(text, e.SecretsKept), kept: e.SecretsKept, own: own(e), shape: recall.EventShape(e)}
	if e.Class == loci.EventDecision {
		one.section = loci.SectionDecisions
	}
	return one
}

func ofEntity(e *loci.RecalledEntity) candidate {
	parts := []string{lineOf(e.Name+" ("+e.Type+")", e.SecretsKept)}
	for _, o := range e.Observations { // the name may introduce a secret
		parts = append(parts, strings.TrimPrefix(lineOf(e.Name+": "+o.Content, o.SecretsKept), recall.Line(e.Name+": ")))
	}
	for _, r := range e.Relations {
		parts = append(parts, lineOf(r.From+" "+r.Type+" "+r.To, r.SecretsKept || e.SecretsKept))
	}
	text := strings.Join(parts, "; ")
	return candidate{kind: kindEntity, id: e.ID, version: checksum(text), section: loci.SectionEntities,
		reason: reasonGraph, time: e.UpdatedAt, whole: text, note: "project " + lineOf(e.Project, false)}
}

// lineOf returns a stored text as one line between the marks of the text, with [secret] in the place of each secret
// that its owner did not decide to keep.
func lineOf(text string, kept bool) string { return recall.Line(sensitive.Mask(text, kept)) }
