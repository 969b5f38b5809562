package event

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/loci-memory/loci"
)

// The groups that a context shows first, in this order. After them, each type has a group.
const (
	decisions = iota
	failures
	questions
	states
	facts
	firstType // groups of types
)

var fixedGroups = [firstType]string{"Decisions", "Errors", "Open questions", "State of the work", "Facts"}

// minorTypes is the name of the group of types that have no group of their own.
const minorTypes = "other types"

// digest is the events of a context, sorted into groups.
type digest struct {
	heads  []*loci.Event // by time
	groups []loci.ContextGroup
	of     []int          // the group of each head
	tiers  [][]int        // heads of one rank, the newest first; the tiers by rank
	agents []loci.AgentID // in the order of their first events
	known  map[loci.AgentID]bool
	actors []*actor         // the one with the most events first
	byKey  map[doer]*actor  // all of them
	types  map[string]int   // the groups of types
	asked  map[string]sense // what types mean
	most   int              // groups of types
}

// doer is who did something, as far as an event tells.
type doer struct {
	actor  string
	agent  loci.AgentID
	origin string
}

func doerOf(e *loci.Event) doer {
	if e.Actor == "" && e.AgentID.IsZero() {
		return doer{origin: e.Origin}
	}
	return doer{actor: e.Actor, agent: e.AgentID}
}

// actor is what somebody did.
type actor struct {
	doer
	events int
	first  int // place of the first event
	types  map[string]int
}

// newDigest sorts events, which are in the order of their times, into at most mostTypes groups of types and the others.
func newDigest(heads []*loci.Event, mostTypes int) *digest {
	d := &digest{heads: heads, of: make([]int, len(heads)), byKey: map[doer]*actor{}, types: map[string]int{},
		known: map[loci.AgentID]bool{}, asked: map[string]sense{}, most: mostTypes}
	for _, name := range fixedGroups {
		d.groups = append(d.groups, loci.ContextGroup{Name: name})
	}
	answered := map[loci.EventID]bool{}
	for _, e := range heads {
		if !e.ParentID.IsZero() {
			answered[e.ParentID] = true
		}
	}
	for i, e := range heads {
		d.of[i] = d.groupOf(e, answered)
		d.groups[d.of[i]].Total++
		d.count(i, e)
	}
	d.rank()
	d.actors = slices.SortedFunc(maps.Values(d.byKey), func(a, b *actor) int {
		return cmp.Or(b.events-a.events, a.first-b.first)
	})
	return d
}

func (d *digest) groupOf(e *loci.Event, answered map[loci.EventID]bool) int {
	if e.Class == loci.EventDecision {
		return decisions
	}
	means, known := d.asked[e.Type]
	if !known {
		means = senseOf(e.Type)
		d.asked[e.Type] = means
	}
	switch {
	case means == failure:
		return failures
	case means == question && !answered[e.ID]:
		return questions
	case e.Class == loci.EventSession:
		return states
	case e.Class == loci.EventEntity:
		return facts
	}
	group, known := d.types[e.Type]
	if !known {
		name := e.Type
		if group = len(d.groups); group-firstType >= d.most {
			name = minorTypes
		}
		if group-firstType > d.most {
			group--
		} else {
			d.groups = append(d.groups, loci.ContextGroup{Name: name})
		}
		d.types[e.Type] = group
	}
	return group
}

// count adds an event to those of whoever did it.
func (d *digest) count(i int, e *loci.Event) {
	key := doerOf(e)
	a := d.byKey[key]
	if a == nil {
		a = &actor{doer: key, first: i, types: map[string]int{}}
		d.byKey[key] = a
		if !e.AgentID.IsZero() && !d.known[e.AgentID] {
			d.known[e.AgentID] = true
			d.agents = append(d.agents, e.AgentID)
		}
	}
	a.events++
	a.types[e.Type]++
}

// rank sorts the events into tiers: by importance, and among equals, decisions, errors and open questions first.
func (d *digest) rank() {
	const ranks = 2 * (loci.MaxImportance + 1)
	var by [ranks][]int
	for i := len(d.heads) - 1; i >= 0; i-- {
		r := 2 * min(max(d.heads[i].Importance, 0), loci.MaxImportance)
		if d.of[i] <= questions {
			r++
		}
		by[r] = append(by[r], i)
	}
	for r := ranks - 1; r >= 0; r-- {
		if len(by[r]) > 0 {
			d.tiers = append(d.tiers, by[r])
		}
	}
}

// sense is what a type means for a context.
type sense int

const (
	ordinary sense = iota
	failure
	question
)

// failureWords and questionWords decide what a type means: one of its words must be there.
var (
	failureWords = []string{"error", "errors", "exception", "fail", "failed", "failure", "failures", "crash", "crashed",
		"panic", "fatal", "timeout"}
	questionWords = []string{"question", "questions", "ask", "asked"}
)

func senseOf(kind string) sense {
	for _, word := range typeWords(kind) {
		switch {
		case slices.Contains(failureWords, word):
			return failure
		case slices.Contains(questionWords, word):
			return question
		}
	}
	return ordinary
}

// typeWords returns the words of a type in lower case: of test_error, and of ValueError.
func typeWords(kind string) []string {
	var spaced strings.Builder
	lower := false // the letter before is one
	for _, r := range kind {
		switch {
		case r == '_' || r == '-' || r == '.':
			r = ' '
		case unicode.IsUpper(r) && lower:
			spaced.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		spaced.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(spaced.String())
}
