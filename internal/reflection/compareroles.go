package reflection

import (
	"regexp"
	"slices"
	"strings"
)

// insteads are words behind which stands what no longer holds.
var insteads = []string{"instead of", "in place of", "rather than", "statt", "anstelle", "anstatt", "au lieu",
	"à la place",
	"en lugar", "en vez", "no lugar", "em vez", "ao invés"}

// replacedName is what the new statement puts something else in place of: "Ruth instead of Gwen".
func (c *comparison) replacedName() (gone, came string) {
	lower := strings.ToLower(c.new.text)
	for _, w := range insteads {
		at := strings.Index(lower, w)
		if at < 0 {
			continue
		}
		for _, p := range c.pairs {
			b := c.new.words[p.b]
			if b.start <= at+len(w) || b.start >= at+len(w)+maxInstead || !b.name && c.score < sameSubject {
				continue
			}
			for _, n := range c.newLeft {
				if (b.name && n.name && n.start != b.start || !b.name && n.start < at) && n.weight > weakWeight {
					return c.old.words[p.a].text, n.text
				}
			}
		}
	}
	return "", ""
}

// maxInstead is how far behind "instead of" the thing stands, in bytes.
const maxInstead = 12

// goesOnFromOld reports whether the new statement is the old one word for word, and then more.
func (c *comparison) goesOnFromOld() bool {
	older := strings.TrimRight(c.old.text, " .!?。！？\n")
	rest, ok := strings.CutPrefix(c.new.text, older)
	if !ok || len(older) < minOld || len(c.replaced) > 0 || c.endsIt() || c.moved {
		return false
	}
	return len(strings.Trim(rest, " .!?\n")) > 0 && !wordGoesOn(rest) && len(c.new.denials) >= len(c.old.denials)
}

// minOld is how long a statement is that another repeats before it goes on, in bytes.
const minOld = 12

func wordGoesOn(rest string) bool {
	return strings.IndexAny(rest[:1], " ,;:.(-–—、，；：。（") != 0 && rest[0] < 0x80
}

// unbroken reports whether the old statement has a fault, and the new one says that it was repaired.
func (c *comparison) unbroken() bool {
	repaired := func(w factWord) bool { return slices.Contains(w.keys, "=repair") }
	fault := len(c.old.implied) > 0 || slices.ContainsFunc(c.old.words, func(w factWord) bool {
		return slices.Contains(w.keys, "=bug")
	})
	return fault && slices.ContainsFunc(c.newLeft, repaired) && !slices.ContainsFunc(c.old.words, repaired) &&
		len(c.new.denials) == 0
}

// notBefore reports whether one statement has "not before" a time from which the other says that something holds.
func (c *comparison) notBefore() bool {
	return c.equalNumbers > 0 && len(c.old.denials)+len(c.new.denials) == 1 &&
		(deniesBefore(c.old, c.new) || deniesBefore(c.new, c.old))
}

// deniesBefore reports whether a statement has a denial and "before", and another has only "from" or "not until".
func deniesBefore(s, other *Statement) bool {
	return len(s.denials) == 1 && s.before && !other.before && other.from
}

// replacedNow notes what the new statement replaces by the words "instead of", and reports whether there is such.
func (c *comparison) replacedNow() bool {
	gone, came := c.replacedName()
	if gone == "" {
		return false
	}
	d := Difference{"name", gone, came}
	c.replaced = append([]Difference{d}, c.replaced...)
	c.differ = append(c.differ, d)
	return true
}

// withoutSides leaves out denials that are a side of opposites of which each statement has another: in "always" and
// "never" the denial is what turns them.
func (c *comparison) withoutSides(s *Statement, at []int) []int {
	return slices.DeleteFunc(slices.Clone(at), func(place int) bool {
		return slices.ContainsFunc(c.flipped, func(group int) bool { return slices.Contains(s.sideAt[group], place) })
	})
}

// withoutOther leaves out the denial of a name that another statement says was passed over: "Kestrel, not Falcon",
// "Kestrel over Falcon".
func (c *comparison) withoutOther(s *Statement, at []int, other *Statement) []int {
	if len(at) != 1 || !other.prefers || s.prefers {
		return at
	}
	for _, p := range c.pairs {
		w := &c.new.words[p.b]
		if s == c.old {
			w = &c.old.words[p.a]
		}
		if w.name && w.start > at[0] && w.start-at[0] <= maxInstead {
			return nil
		}
	}
	return at
}

// soleActs are concepts of what only one does to one thing.
var soleActs = []string{"=write", "=build", "=invent", "=found", "=discover", "=cause", "=approve"}

// isAct reports whether two words are such a verb, and a definite thing follows.
func (c *comparison) isAct(a, b factWord) bool {
	return slices.ContainsFunc(soleActs, func(act string) bool {
		return slices.Contains(a.keys, act) && slices.Contains(b.keys, act)
	}) && strings.Contains(" "+strings.ToLower(c.old.text), " the ")
}

// otherMind reports whether a statement says that somebody changed their mind.
func (s *Statement) otherMind() bool {
	return endsWith(s.change, "mind", "überlegt", "avis", "opinión", "idea", "opinião", "ideia", "umentschieden")
}

// reversed reports whether what one statement compares with something is in the other what that is compared with:
// "the new one is faster than the old one", "the old one is faster than the new one".
func (c *comparison) reversed() bool {
	a, b := thanIn(c.old.text), thanIn(c.new.text)
	if a < 0 || b < 0 || c.new.change != "" {
		return false
	}
	var forth, back bool
	for _, p := range c.pairs {
		before, after := c.old.words[p.a].start < a, c.new.words[p.b].start > b
		forth, back = forth || before && after, back || !before && !after
	}
	return forth && back
}

// than are words of comparison, with what is compared before and behind.
var than = regexp.MustCompile(`(?i) than | als | (?:plus|moins|más|menos|mais) .* que |比[^赛]`)

// thanIn is where the word of comparison of a text stands, or -1.
func thanIn(text string) int {
	if at := than.FindStringIndex(text); at != nil {
		return at[0]
	}
	return -1
}

// moves are "from the lobby to the hall" in the seven languages, with the old value as the only group.
var moves = regexp.MustCompile(`(?:^|\s)(?:from|vo[nm]|del?|d[uoa]) (?:the |der )?(\S+) ` +
	`(?:to|auf|nach|in|zu[mr]|à|au|al?|para) |[从由](.+?)[到改至换成]|(\S+?)から`)

// movedFrom reports whether the new statement says that something went from what the old one has to something else.
func (c *comparison) movedFrom() bool {
	if c.new.change == "" || c.new.also || c.new.still || len(c.newLeft) == 0 {
		return false
	}
	at := moves.FindStringIndex(c.new.text)
	if at == nil {
		return false
	}
	last := c.newLeft[len(c.newLeft)-1].start
	for _, p := range c.pairs {
		b := c.new.words[p.b].start
		if b >= at[0] && b < at[1] && last >= at[1] && last-at[1] <= maxMoved && c.old.words[p.a].start > 0 {
			return true
		}
	}
	return false
}

// maxMoved is how far behind "from … to" the new value stands, in bytes.
const maxMoved = 24

// otherKind reports whether one word before the same noun makes the statements those of two things, at their beginning:
// "the search service", "the login service".
func (c *comparison) otherKind() bool {
	if len(c.oldLeft) != 1 || len(c.newLeft) != 1 || c.new.change != "" || len(c.replaced) == 0 {
		return false
	}
	x, y := &c.oldLeft[0], &c.newLeft[0]
	if min(x.weight, y.weight) <= weakWeight || x.char || y.char || max(x.start, y.start) >= maxInstead {
		return false
	}
	for _, p := range c.pairs {
		a, b := &c.old.words[p.a], &c.new.words[p.b]
		if a.start == x.end+1 && b.start == y.end+1 && a.keys[0] == b.keys[0] {
			return true
		}
	}
	return false
}
