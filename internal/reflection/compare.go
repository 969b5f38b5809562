package reflection

import (
	"math"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// Bond is how a new statement relates to an old one.
type Bond string

// The bonds.
const (
	Duplicate        Bond = "duplicate"         // it says the same, or less
	UpdateSupersedes Bond = "update_supersedes" // it says what holds now in place of the old one
	Contradiction    Bond = "contradiction"     // both cannot hold, and it does not say that something changed
	Refinement       Bond = "refinement"        // it adds something to the old one
	Unrelated        Bond = "unrelated"         // it is about something else
)

// Verdict is what a comparison of two statements found.
type Verdict struct {
	Bond   Bond
	Reason string       // a sentence for people
	Differ []Difference // what the statements differ in, as far as it was understood
	Score  float64      // how much of the statements is about the same, 0 to 1
}

// Difference is something that two statements say differently. Old or New is empty if only the other has it.
type Difference struct{ Kind, Old, New string }

// How much of two statements must be about the same.
const (
	sameSubject    = 0.5  // without a word of change
	changedSubject = 0.3  // with one
	changedMind    = 0.2  // with one that says that somebody wants something else
	slotFilled     = 0.55 // if one word stands in place of another
	nearlyAll      = 0.99
	leastSlot      = 0.4  // weight of the words in that place
	longEnough     = 0.75 // of a statement of which the other leaves words out
)

// Relate compares a new statement with an old one.
func Relate(older, newer string) Verdict { return Prepare(older).Relate(Prepare(newer)) }

// Relate compares a newer statement with this one.
func (s *Statement) Relate(newer *Statement) Verdict {
	if s.text == newer.text && s.text != "" {
		return Verdict{Bond: Duplicate, Reason: "Both texts are the same.", Score: 1}
	}
	score, like := s.read.Compare(newer.read)
	if like == loci.Duplicate {
		return Verdict{Bond: Duplicate, Reason: "Both texts have the same words.", Score: 1}
	}
	c := match(s, newer)
	c.score = max(c.score, score)
	v := c.verdict(like)
	if (v.Bond == UpdateSupersedes || v.Bond == Contradiction) && !c.oneMatter() {
		v = Verdict{Bond: Unrelated, Reason: "The statements share too little to be about the same thing."}
	}
	v.Differ, v.Score = c.differ, math.Round(1000*min(1, c.score))/1000
	return v
}

// verdict decides by what the statements share and what they differ in.
func (c *comparison) verdict(like loci.Likeness) Verdict {
	enough := sameSubject
	if c.new.change != "" {
		enough = changedSubject
	}
	if c.new.otherMind() && c.telling > 1 {
		enough = changedMind
	}
	switch {
	case c.moved && c.telling >= 1 && !c.new.still:
	case c.telling == 0 || c.score < enough && !c.covered && like != loci.Contradiction:
		return Verdict{Bond: Unrelated, Reason: "The statements share too little to be about the same thing."}
	case c.otherSubject() || c.otherKind():
		return Verdict{Bond: Unrelated, Reason: "The statements are about two different things of one kind."}
	case c.denyTwo():
		return Verdict{Bond: Unrelated, Reason: "Both statements deny, and \"" + c.replaced[0].Old + "\" and \"" +
			c.replaced[0].New + "\" can both be denied."}
	case c.replacedNow():
		return Verdict{Bond: UpdateSupersedes, Reason: "The new statement puts \"" + c.replaced[0].New + "\" in place of \"" +
			c.replaced[0].Old + "\"."}
	case c.movedFrom():
		return Verdict{Bond: UpdateSupersedes, Reason: "The new statement says that it went from one to another."}
	case c.goesOnFromOld():
		return Verdict{Bond: Refinement, Reason: "The new statement repeats the old one and goes on."}
	case c.unbroken():
		return Verdict{Bond: UpdateSupersedes, Reason: "The old statement has a fault that the new one says was repaired."}
	case c.swapped() && c.new.change != "" && !c.new.also && c.covered && c.newName() != "":
		return Verdict{Bond: UpdateSupersedes, Reason: "The new statement has \"" + c.newName() + "\" in another role now."}
	case c.swapped() && !c.reversed():
		return Verdict{Bond: Unrelated, Reason: "The statements have the same words in other roles."}
	}
	conflict := c.conflict(like)
	switch {
	case conflict != "" && c.new.change != "" && !c.new.still:
		return Verdict{Bond: UpdateSupersedes, Reason: "The new statement says that it changed (\"" + c.new.change + "\"): " +
			conflict + "."}
	case conflict != "":
		return Verdict{Bond: Contradiction, Reason: "Both cannot hold, and nothing says that it changed: " + conflict + "."}
	case c.twoSubjects():
		return Verdict{Bond: Unrelated, Reason: "The statements say the same about \"" + wordsText(c.oldLeft) + "\" and \"" +
			wordsText(c.newLeft) + "\"."}
	case c.adds():
		return Verdict{Bond: Refinement, Reason: "The new statement says the same and adds \"" + c.addition() + "\"."}
	case telling(c.oldLeft)+telling(c.newLeft) == 0 && len(c.added)+len(c.removed) == 0,
		c.newCover >= nearlyAll && (c.oldCover >= 0.5 || c.oldLeft == nil), c.score >= longEnough:
		return Verdict{Bond: Duplicate, Reason: "The new statement says the same in other words, or less."}
	case c.oldCover >= longEnough:
		return Verdict{Bond: Refinement, Reason: "The new statement says the same and adds \"" + c.addition() + "\"."}
	case c.new.change != "" && !c.new.still && c.score >= changedSubject:
		return Verdict{Bond: UpdateSupersedes, Reason: "The new statement says that something about it changed (\"" +
			c.new.change + "\")."}
	}
	return Verdict{Bond: Unrelated, Reason: "The statements share a subject, and say different things about it."}
}

// conflict says in what the statements exclude each other, or "".
func (c *comparison) conflict(like loci.Likeness) string {
	switch {
	case c.turned():
		c.differ = append(c.differ, Difference{Kind: "negation"})
		return "one denies what the other says"
	case len(c.replaced) > 0:
		d := c.replaced[0]
		return "\"" + d.Old + "\" and \"" + d.New + "\" exclude each other"
	case like == loci.Contradiction && !c.covered && !c.rounded:
		return "their values exclude each other"
	case c.slot():
		return "\"" + wordsText(c.oldLeft) + "\" and \"" + wordsText(c.newLeft) + "\" stand in the same place"
	case c.new.change != "" && !c.new.still && len(c.oldLeft) > 0 && len(c.newLeft)+len(c.added) > 0 &&
		c.oldCover < nearlyAll:
		return "it has \"" + c.addition() + "\" in place of \"" + wordsText(c.oldLeft) + "\""
	case c.new.change != "" && !c.new.also && c.covered && (c.new.handsOver() || !c.new.still && c.hasPost()) &&
		c.newName() != "":
		return "it has \"" + c.newName() + "\""
	case c.new.change != "" && !c.new.still && c.covered && len(c.added) > 0 && !c.new.also:
		return "it has \"" + c.added[0] + "\""
	case c.new.change != "" && !c.new.still && !c.new.also && c.endsIt():
		return "the old statement no longer holds"
	}
	return ""
}

// denyTwo reports whether each statement denies another value: "not on Fridays", "no longer on Mondays". A number or a
// limit in time can be what changed: "not before March".
func (c *comparison) denyTwo() bool {
	return len(c.old.denials) > 0 && len(c.new.denials) > 0 && len(c.replaced) > 0 && c.replaced[0].Kind != "number" &&
		len(c.old.weakSides)+len(c.new.weakSides) == 0 && !c.turned()
}

// handovers are words of change by which somebody takes the place of another.
var handovers = set(`replaced replaces succeeded succeeds successor handed übernommen übernimmt übergeben ersetzt
 abgelöst remplace remplacé succède sustituye reemplaza relevó substitui substituiu assumiu 接替 接手 引き継`)

// departures are words of change by which somebody leaves what another takes over.
var departures = []string{"stepped down", "steps down", "retired", "retires", "quit", "resigned", "zurückgetreten",
	"in rente", "im ruhestand", "in pension", "démissionné", "retraite", "dimitió", "se jubiló", "se retiró", "renunció",
	"aposentou", "pediu demissão", "退休", "退職", "辞任", "离任", "卸任", "离职"}

// handsOver reports whether the word of change says that somebody takes the place of another.
func (s *Statement) handsOver() bool {
	return handovers[s.change] || slices.ContainsFunc(departures, func(w string) bool {
		return strings.Contains(s.change, w)
	})
}

// hasPost reports whether both statements say who is responsible for something.
func (c *comparison) hasPost() bool {
	return slices.ContainsFunc(c.pairs, func(p pair) bool {
		keys := c.old.words[p.a].keys
		return slices.Contains(keys, "=own") || slices.Contains(keys, "=chair")
	})
}

// newName is a name that only the new statement has.
func (c *comparison) newName() string { return nameIn(c.newLeft, 0) }

// nameIn returns the first name among words from a place on, or "".
func nameIn(words []factWord, from int) string {
	i := slices.IndexFunc(words, func(w factWord) bool { return w.name && w.start >= from })
	if i < 0 {
		return ""
	}
	return words[i].text
}

// endings are words of change that say that the old statement no longer holds.
var endings = []string{"no longer", "anymore", "any more", "removed", "retired", "discontinued", "scrapped",
	"abandoned", "quit", "resigned",
	"nicht mehr", "ya no", "já não", "não mais", "不再", "廃止", "なくなった", "stopped", "abgeschafft",
	"used to", "formerly", "previously", "früher", "bisher", "sold", "vendu", "vendió", "vendeu",
	"reopen", "wieder geöffnet", "wiedereröffnet", "rouvert", "reabiert", "reabri", "reabert"}

// endsIt reports whether a word of change denies the whole old statement: "no longer", "removed".
func (c *comparison) endsIt() bool {
	return slices.ContainsFunc(endings, func(end string) bool { return strings.Contains(c.new.change, end) })
}

// turned reports whether one statement denies what the other says. A denial in what was added denies nothing.
func (c *comparison) turned() bool {
	if c.notBefore() {
		return false
	}
	end := c.lastShared()
	newDenials, oldDenials := c.withoutSides(c.new, c.new.denials), c.withoutSides(c.old, c.old.denials)
	newDenials, oldDenials = c.withoutOther(c.new, newDenials, c.old), c.withoutOther(c.old, oldDenials, c.new)
	more := len(newDenials) - len(oldDenials)
	for _, at := range newDenials {
		if more > 0 && c.covered && at >= end && c.goesOn(end) {
			more--
		}
	}
	newImplied, oldImplied := c.withoutSides(c.new, c.new.implied), c.withoutSides(c.old, c.old.implied)
	implied := min(1, len(newImplied)) - min(1, len(oldImplied))
	if implied > 0 && c.covered && newImplied[0] >= end && c.goesOn(end) {
		implied = 0
	}
	return (one(c.reversed())+len(c.flipped)+max(more, -more)+max(implied, -implied))%2 == 1
}

// goesOn reports whether the new statement says something more behind a place.
func (c *comparison) goesOn(at int) bool {
	return slices.ContainsFunc(c.newLeft, func(w factWord) bool { return w.start >= at })
}

// otherSubject reports whether a number names the subject, and the rest is the same: "release 4.1", "room 3".
func (c *comparison) otherSubject() bool {
	for _, d := range c.numbers {
		named := d.old.label != "" && d.new.label != "" && d.old.label == d.new.label
		acts := c.sharesBehind(d) || d.old.acts && d.new.acts
		named = named || d.old.version && d.new.version && c.equalNumbers > 0
		if acts && named && c.new.change == "" {
			return true
		}
	}
	return false
}

// sharesBehind reports whether both statements go on in the same way behind a number.
func (c *comparison) sharesBehind(d numberChange) bool {
	behind := func(a, b int) bool { return a > d.old.start && b > d.new.start }
	return slices.ContainsFunc(c.pairs, func(p pair) bool {
		return behind(c.old.words[p.a].start, c.new.words[p.b].start)
	}) || c.equalNumbers > 0 && behind(lastStart(c.old.numbers), lastStart(c.new.numbers))
}

func lastStart(list []factNumber) int { return list[len(list)-1].start }

// adds reports whether the new statement has all of the old one and more.
func (c *comparison) adds() bool {
	more := telling(c.newLeft) >= 0.5 || len(c.added) > 0
	return c.oldCover >= longEnough && more && len(c.removed) == 0 && !c.new.still
}

func (c *comparison) addition() string {
	if len(c.newLeft) > 0 {
		first, last := c.newLeft[0], c.newLeft[len(c.newLeft)-1]
		if text := c.new.text; last.end <= len(text) && first.start < last.end && last.end-first.start < 80 {
			return text[first.start:last.end]
		}
		return wordsText(c.newLeft)
	}
	return strings.Join(c.added, ", ")
}

// slot reports whether the new statement has other words in one place of the old one, and is the same otherwise.
func (c *comparison) slot() bool {
	a, b := weigh(c.oldLeft), weigh(c.newLeft)
	if a < leastSlot || b < leastSlot || c.score < slotFilled || a > 2.1 || b > 2.1 {
		return false
	}
	x, y := c.oldLeft[0], c.newLeft[0]
	if c.isSubject(x, y) {
		return false
	}
	return x.name && y.name || c.oldPlace(x) == c.newPlace(y) && c.oldPlace(x) > 0 && len(c.oldLeft) == len(c.newLeft)
}

// isSubject reports whether two words belong to what the statements are about, and what they say of it is the same:
// "the bus to the airport takes", "the bus to the museum takes". Only the one who is responsible for something is one.
func (c *comparison) isSubject(x, y factWord) bool {
	if 2*x.start >= len(c.old.text) || 2*y.start >= len(c.new.text) {
		return false
	}
	behind := false
	for _, p := range c.pairs {
		a, b := c.old.words[p.a], c.new.words[p.b]
		if x.name && y.name && (slices.Contains(a.keys, "=own") || slices.Contains(a.keys, "=chair")) ||
			x.name && y.name && c.isAct(a, b) {
			return false
		}
		behind = behind || a.start > x.start && b.start > y.start
	}
	return behind || c.equalNumbers > 0
}

// twoSubjects reports whether the statements say the same about two things.
func (c *comparison) twoSubjects() bool {
	a, b := telling(c.oldLeft), telling(c.newLeft)
	return c.new.change == "" && len(c.replaced) == 0 && a > 0 && b > 0 && a <= 2 && b <= 2 && c.score >= sameSubject &&
		c.isSubject(c.oldLeft[0], c.newLeft[0])
}

// oldPlace is behind how many shared words a word stands.
func (c *comparison) oldPlace(w factWord) int {
	return len(slices.DeleteFunc(slices.Clone(c.pairs), func(p pair) bool { return c.old.words[p.a].start > w.start }))
}

func (c *comparison) newPlace(w factWord) int {
	return len(slices.DeleteFunc(slices.Clone(c.pairs), func(p pair) bool { return c.new.words[p.b].start > w.start }))
}

// swapped reports whether what acts in one statement is acted on in the other.
func (c *comparison) swapped() bool {
	for i, first := range c.pairs {
		for _, verb := range c.pairs[i+1:] {
			if verb.b >= first.b || !sameLink(&c.old.words[verb.a], &c.new.words[verb.b]) {
				continue
			}
			for _, last := range c.pairs {
				if last.a > verb.a && last.b < verb.b {
					return true
				}
			}
		}
	}
	return false
}

// sameLink reports whether two verbs are joined to what follows in the same way.
func sameLink(a, b *factWord) bool { return a.linked && b.linked || a.prep != "" && a.prep == b.prep }

func weigh(words []factWord) (sum float64) {
	for _, w := range words {
		sum += w.weight
	}
	return sum
}

// telling is the weight of the words that are not weak.
func telling(words []factWord) (sum float64) {
	for _, w := range words {
		if w.weight > weakWeight {
			sum += w.weight
		}
	}
	return sum
}

func wordsText(words []factWord) string {
	var list []string
	for _, w := range words {
		list = append(list, w.text)
	}
	return strings.Join(list, " ")
}
