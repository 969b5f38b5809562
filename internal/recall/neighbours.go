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
	maxGraphWords   = 8   // of a question that are looked up in a graph
	maxEntityName   = 4   // words of a name of an entity
	maxGraphNames   = 16  // parts of a question that are looked up as names
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

// NameQuery returns what to look for in a graph in which too many entities have the words: words in a row that
// begin and end with one that is looked for, as names of entities do. It returns nil if there are none.
func (g *InGraph) NameQuery() *loci.GraphQuery {
	q := &loci.GraphQuery{Op: loci.GraphOr}
	fine := language.Finest(g.question.tokens)
	fine = fine[:min(len(fine), maxNameStarts)]
	places := g.question.places(g.terms)
	tells := func(i int) bool { return termsIn(fine[i:i+1], places) != 0 }
	for i := range fine {
		for n := 2; n <= maxEntityName && i+n <= len(fine) && len(q.Parts) < maxGraphNames; n++ {
			if tells(i) && tells(i+n-1) {
				q.Parts = append(q.Parts, words(g.question.ask.Text[fine[i].Start:fine[i+n-1].End]))
			}
		}
	}
	return orNothing(q)
}

func words(text string) *loci.GraphQuery { return &loci.GraphQuery{Op: loci.GraphWords, Text: text} }

func orNothing(q *loci.GraphQuery) *loci.GraphQuery {
	if len(q.Parts) == 0 {
		return nil
	}
	return q
}

// Query returns what to look for in a graph: any of the words. It returns nil if there is nothing to look for.
func (g *InGraph) Query() *loci.GraphQuery {
	q := &loci.GraphQuery{Op: loci.GraphOr}
	for _, t := range g.terms {
		same := func(p *loci.GraphQuery) bool { return strings.EqualFold(p.Text, t.text) }
		if len(q.Parts) < maxGraphWords && len(loci.AppendGraphWords(nil, t.text)) > 0 &&
			!slices.ContainsFunc(q.Parts, same) {
			q.Parts = append(q.Parts, words(t.text))
		}
	}
	return orNothing(q)
}

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

// These are the weights of a query's words by the place where they occur. A query that equals the
// name of an entity outweighs any sum of the rest.
const (
	graphName  = 5.0
	graphType  = 1.0
	graphText  = 1.0
	graphNamed = 10.0

	graphMore     = 0.05 // for each observation that has one of the words
	graphMostMore = 10   // up to this many
)

// RankGraph returns the entities that a search of a graph found, best first. Entities with equal
// scores keep their order.
func RankGraph(matches []loci.GraphMatch) []loci.EntityID {
	type scored struct {
		id    loci.EntityID
		score float64
	}
	order := make([]scored, len(matches))
	for i := range matches {
		order[i] = scored{matches[i].ID, graphScore(&matches[i])}
	}
	slices.SortStableFunc(order, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	ids := make([]loci.EntityID, len(order))
	for i := range order {
		ids[i] = order[i].id
	}
	return ids
}

// graphScore adds up name, type and the best observation.
func graphScore(m *loci.GraphMatch) float64 {
	score := worth(graphName, m.Name) + worth(graphType, m.Type)
	if m.Named {
		score += graphNamed
	}
	best := 0.0
	for _, o := range m.Observations {
		best = max(best, worth(graphText, o))
	}
	return score + best + graphMore*float64(min(len(m.Observations), graphMostMore))
}

// worth increases with the number of words and decreases with the length of the text.
func worth(weight float64, o loci.Occurrences) float64 {
	if o.Times == 0 {
		return 0
	}
	return weight * float64(o.Times) / (float64(o.Times) + 0.5 + float64(o.Bytes)/120)
}
