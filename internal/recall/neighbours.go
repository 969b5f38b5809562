package recall

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/language"
)

// These limit what a question gets from graphs.
const (
	MaxNear         = 16  // neighbours whose names lead to memories
	maxLed          = 100 // memories that one name leads to
	maxGraphFacts   = 3   // entities in an answer
	maxObservations = 5   // of each of them
	maxRelations    = 8   // of each of them
	maxLooked       = 100 // observations of an entity that are compared, the newest ones
	maxLookedText   = 500 // bytes of each
)

// Near is an entity one relation away from an entity that a question names. Its name leads to memories. Path
// explains how it was reached.
type Near struct{ Name, Path string }

// InGraph is a question to graphs. It is not safe for concurrent use.
type InGraph struct {
	question *Question
	matcher  *matcher
	terms    []term
	names    []index.Name
	near     []Near
	facts    []fact
	seen     map[entityAt]bool
}

// entityAt is an entity in a project. A copy of a project has entities with the same ids.
type entityAt struct {
	project loci.ProjectID
	entity  loci.EntityID
}

// fact is an entity that fits a question, and which of the terms it has.
type fact struct {
	loci.RecalledEntity
	terms int
}

// InGraph returns the question as one to graphs.
func (q *Question) InGraph() *InGraph {
	list := q.terms(mentions{at: make([]bool, len(q.tokens))}).list
	return &InGraph{question: q, matcher: newMatcher(q.langs, list, nil, nil), terms: list, names: q.names(list),
		seen: map[entityAt]bool{}}
}

// Asks reports whether there is something to look for in graphs.
func (g *InGraph) Asks() bool { return len(g.terms) > 0 }

// Add adds an entity that a query found, once, with the observations and relations that the reader sees. The best
// entities come first.
func (g *InGraph) Add(project *loci.Project, e loci.Entity) {
	at := entityAt{project.ID, e.ID}
	if g.seen[at] {
		return
	}
	g.seen[at] = true
	var a language.Analyzer
	name := index.NameOf(a.Tokens(e.Name, nil))
	named := slices.ContainsFunc(g.names, func(n index.Name) bool { return n.Words == name })
	if named {
		g.addNear(&e)
	}
	f := fact{RecalledEntity: loci.RecalledEntity{Entity: e, ProjectID: project.ID, Project: project.Name, Named: named}}
	if f.terms = g.choose(&f.Entity, named); named || 2*f.terms >= max(len(g.terms), 2) || f.terms == len(g.terms) {
		g.facts = append(g.facts, f)
	}
}

// addNear adds the entities at the other ends of the newest relations.
func (g *InGraph) addNear(e *loci.Entity) {
	for _, r := range slices.Backward(e.Relations) {
		other := r.To
		if r.ToID == e.ID {
			other = r.From
		}
		known := func(n Near) bool { return strings.EqualFold(n.Name, other) }
		if len(g.near) < MaxNear && r.FromID != r.ToID && !slices.ContainsFunc(g.near, known) {
			g.near = append(g.near, Near{other, r.Path()})
		}
	}
}

// choose leaves the observations and relations of an entity that fit the question best, in their order, and
// returns how many terms the name and one observation have together at most. Of an entity that is not named, it
// leaves only observations with a term.
func (g *InGraph) choose(e *loci.Entity, named bool) int {
	_, own := g.matcher.match(e.Name)
	type scored struct{ at, terms int }
	order, most := make([]scored, 0, len(e.Observations)), bits.OnesCount64(own)
	for i := max(len(e.Observations)-maxLooked, 0); i < len(e.Observations); i++ {
		content := e.Observations[i].Content
		_, has := g.matcher.match(strings.ToValidUTF8(content[:min(len(content), maxLookedText)], ""))
		most = max(most, bits.OnesCount64(own|has))
		if has != 0 || named {
			order = append(order, scored{i, bits.OnesCount64(has)})
		}
	}
	slices.SortFunc(order, func(x, y scored) int { return cmp.Or(y.terms-x.terms, y.at-x.at) })
	order = order[:min(len(order), maxObservations)]
	slices.SortFunc(order, func(x, y scored) int { return x.at - y.at })
	kept := make([]loci.Observation, len(order))
	for i, o := range order {
		kept[i] = e.Observations[o.at]
	}
	relations := e.Relations[max(len(e.Relations)-maxRelations, 0):]
	e.ObservationsLeft += len(e.Observations) - len(kept)
	e.RelationsLeft += len(e.Relations) - len(relations)
	e.Observations, e.Relations = kept, relations
	return most
}

// Near returns the neighbours of the entities that the question names.
func (g *InGraph) Near() []Near { return g.near }

// Facts returns the entities that fit best: first those that the question names, then those with the most words.
func (g *InGraph) Facts() []loci.RecalledEntity {
	slices.SortStableFunc(g.facts, func(x, y fact) int {
		return cmp.Or(compareBool(y.Named, x.Named), y.terms-x.terms)
	})
	var out []loci.RecalledEntity
	for _, f := range g.facts[:min(len(g.facts), maxGraphFacts)] {
		out = append(out, f.RecalledEntity)
	}
	return out
}

// leads finds the memories that have the name of a neighbour. If more than maxLed have it, it leads to the best
// of them, and the less the more have it. paths are the bits of the neighbours, by memory.
func (q *Question) leads(views []*index.View) (leads []index.Lead, paths map[[16]byte]uint32) {
	if q.try != "" || q.ask.Weights.Graph == 0 {
		return nil, nil
	}
	paths = map[[16]byte]uint32{}
	var a language.Analyzer
	for i, near := range q.ask.Near[:min(len(q.ask.Near), MaxNear)] {
		var phrase []index.Term
		for _, t := range language.Finest(a.Tokens(near.Name, nil)) {
			phrase = append(phrase, index.Term{Form: t.Form})
		}
		if len(phrase) == 0 || len(phrase) > maxPhrase {
			continue
		}
		term := phrase[0]
		if len(phrase) > 1 {
			term = index.Term{Phrase: phrase}
		}
		found := index.Search(views, &index.Query{Terms: []index.Term{term}, Sees: q.ask.Sees, Now: q.ask.Now,
			OwnWords: true, Limit: maxLed, Weights: index.Weights{Row: 1}})
		for _, h := range found.Hits {
			leads = append(leads, index.Lead{ID: h.ID, Value: min(1, maxLed/float64(found.Total))})
			paths[h.ID] |= 1 << i
		}
	}
	return leads, paths
}

// through returns how the graph leads to a hit.
func (a *Answer) through(id [16]byte) (list []string) {
	for rest := a.paths[id]; rest != 0; rest &= rest - 1 {
		list = append(list, a.question.ask.Near[bits.TrailingZeros32(rest)].Path)
	}
	return list
}
