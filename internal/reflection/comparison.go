package reflection

import (
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/language"
)

type comparison struct {
	old, new         *Statement
	pairs            []pair // the words of both, in the order of the old one
	oldLeft, newLeft []factWord
	shared           float64 // weight of what both have
	telling          float64 // the part of it that is not weak words
	subject          float64 // the part of that which is neither a value nor a word of change
	oldCover         float64 // the part of the old statement that the new one has
	newCover         float64
	score            float64
	covered          bool // the new statement has all words of the old one
	replaced         []Difference
	numbers          []numberChange
	equalNumbers     int
	rounded          bool // one of those is rounded in one statement
	added, removed   []string
	moved            bool  // the new statement has both the old name and the new one, and a word of change
	flipped          []int // the groups of opposites of which each has another side
	differ           []Difference
}

// pair is a word that both statements have, by its places among the words.
type pair struct{ a, b int }

// numberChange is a number in place of another.
type numberChange struct{ old, new factNumber }

func match(older, newer *Statement) *comparison {
	c := &comparison{old: older, new: newer}
	c.matchWords()
	c.matchNumbers()
	c.matchNames()
	c.matchDays()
	for _, group := range slices.Sorted(maps.Keys(older.sides)) {
		a, b := older.sides[group], newer.sides[group]
		if a != 0 && b != 0 && bits.OnesCount64(a) == 1 && bits.OnesCount64(b) == 1 && a != b {
			c.flipped = append(c.flipped, group)
		}
	}
	if n := len(older.denials) - len(newer.denials); n%2 != 0 {
		c.flipWeakly()
	}
	c.weigh()
	c.differ = append(c.differ, c.replaced...)
	return c
}

// flipWeakly counts "before" and "after" as opposites where one statement denies: "not before 3" and "after 3".
func (c *comparison) flipWeakly() {
	for _, group := range slices.Sorted(maps.Keys(c.old.weakSides)) {
		if a, b := c.old.weakSides[group], c.new.weakSides[group]; a != 0 && b != 0 && a != b {
			c.flipped = append(c.flipped, group)
			return
		}
	}
}

func (c *comparison) matchWords() {
	used := make([]bool, len(c.new.words))
	for i := range c.old.words {
		found := -1
		for j := range c.new.words {
			if !used[j] && c.old.words[i].isSame(&c.new.words[j]) {
				found = j
				break
			}
		}
		if found < 0 {
			if !c.repeats(&c.old.words[i]) {
				c.oldLeft = append(c.oldLeft, c.old.words[i])
			}
			continue
		}
		used[found] = true
		c.pairs = append(c.pairs, pair{i, found})
	}
	for j, w := range c.new.words {
		again := slices.ContainsFunc(c.pairs, func(p pair) bool { return c.new.words[p.b].isSame(&w) })
		if !used[j] && !again {
			c.newLeft = append(c.newLeft, w)
		}
	}
}

// repeats reports whether a word is one that was paired before.
func (c *comparison) repeats(w *factWord) bool {
	return slices.ContainsFunc(c.pairs, func(p pair) bool { return c.old.words[p.a].isSame(w) })
}

// matchNumbers pairs the numbers that only one statement has.
func (c *comparison) matchNumbers() {
	left, extra := slices.Clone(c.old.numbers), []factNumber(nil)
	for _, n := range c.new.numbers {
		i := slices.IndexFunc(left, func(o factNumber) bool {
			same, _ := o.equals(n)
			return same
		})
		if i < 0 {
			extra = append(extra, n)
			continue
		}
		if _, rounded := left[i].equals(n); rounded {
			c.rounded = true
			if left[i].about && !n.about {
				c.added = append(c.added, n.full())
			}
		}
		c.equalNumbers++
		left = slices.Delete(left, i, i+1)
	}
	for _, o := range left {
		i := slices.IndexFunc(extra, func(n factNumber) bool { return o.unit == n.unit && o.form == n.form })
		if i < 0 {
			i = slices.IndexFunc(extra, func(n factNumber) bool { return o.sameKind(n) || o.value == n.value })
		}
		if i < 0 {
			c.removed = append(c.removed, o.value)
			continue
		}
		n := extra[i]
		extra = slices.Delete(extra, i, i+1)
		c.numbers = append(c.numbers, numberChange{o, n})
		c.replaced = append(c.replaced, Difference{"number", o.full(), n.full()})
	}
	for _, n := range extra {
		c.added = append(c.added, n.full())
	}
}

func (n factNumber) full() string {
	if n.form == clockNumber && !strings.Contains(n.value, ":") {
		return n.value + ":00"
	}
	return strings.TrimSpace(n.value + " " + strings.TrimPrefix(n.unit, "unit-"))
}

// matchNames finds names of one kind that stand in place of each other.
func (c *comparison) matchNames() {
	seen := map[string]bool{}
	for _, kind := range slices.Sorted(maps.Keys(c.old.names)) {
		a, b := c.old.names[kind], c.new.names[kind]
		lost := missing(a, b)
		came := missing(b, a)
		if len(lost) > 0 && len(came) > 0 && len(lost) == len(a) && !seen[lost[0]+came[0]] {
			seen[lost[0]+came[0]] = true
			c.replaced = append(c.replaced, Difference{kind, lost[0], came[0]})
		} else if len(lost) > 0 && len(b) == 0 {
			c.removed = append(c.removed, lost...)
		}
	}
	c.matchUnlisted()
	for _, kind := range slices.Sorted(maps.Keys(c.new.names)) {
		came := missing(c.new.names[kind], c.old.names[kind])
		switch stays := len(missing(c.old.names[kind], c.new.names[kind])) == 0; {
		case len(came) == 0 || !stays:
		case len(c.old.names[kind]) > 0 && c.new.change != "" && !c.new.also:
			c.moved = true
			c.replaced = append(c.replaced, Difference{kind, c.old.names[kind][0], came[0]}) // "moved from Lyon to Nantes"
		default:
			c.added = append(c.added, came...)
		}
	}
}

// matchUnlisted finds a name that no list has in place of one of a kind: "is in Lyon", "is in Lille".
func (c *comparison) matchUnlisted() {
	if len(c.removed) != 1 || len(c.replaced) > 0 || nameIn(c.oldLeft, 1) != "" || c.newName() == "" {
		return
	}
	if len(c.newLeft) == 1 && c.newLeft[0].start > 0 {
		c.replaced = append(c.replaced, Difference{"name", c.removed[0], c.newName()})
		c.removed, c.newLeft = nil, nil
	}
}

func missing(a, b []string) (list []string) {
	for _, v := range a {
		if !slices.Contains(b, v) && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// matchDays finds weekdays and months that stand in place of each other.
func (c *comparison) matchDays() {
	for _, group := range slices.Sorted(maps.Keys(c.old.days)) {
		a, b := c.old.days[group], c.new.days[group]
		if b != 0 && a&b == 0 {
			c.replaced = append(c.replaced, Difference{"date", c.old.dayWord(group), c.new.dayWord(group)})
		}
	}
	for group, b := range c.new.days {
		if b != 0 && c.old.days[group] == 0 {
			c.added = append(c.added, c.new.dayWord(group))
		}
	}
	slices.Sort(c.added)
}

func (s *Statement) dayWord(group int) string {
	best := ""
	for v := range s.read.Values() {
		if v.Group == group && (best == "" || v.Word < best) {
			best = v.Word
		}
	}
	return best
}

// weigh works out how much of each statement the other has.
func (c *comparison) weigh() {
	var values float64
	for kind, names := range c.old.names {
		shared := float64(len(loci.Unique(names)) - len(missing(names, c.new.names[kind])))
		if values += shared; kind != pace {
			c.subject += shared
		}
	}
	for group, a := range c.old.days {
		values += float64(bits.OnesCount64(a & c.new.days[group]))
	}
	values += float64(c.equalNumbers)
	slots := 0.5 * float64(len(c.replaced)+min(1, len(c.flipped))) // one subject has a value of this kind in both
	for _, p := range c.pairs {
		w := max(c.old.words[p.a].weight, c.new.words[p.b].weight)
		if c.shared += w; w > weakWeight {
			c.telling += w
		}
		c.subject += c.names(p)
	}
	c.telling += values
	c.shared += values
	a := c.shared + slots + weigh(c.oldLeft) + 0.5*float64(len(c.removed))
	b := c.shared + slots + weigh(c.newLeft) + 0.3*float64(len(c.added))
	if a == 0 || b == 0 {
		return
	}
	c.oldCover, c.newCover = (c.shared+slots)/a, (c.shared+slots)/b
	c.score = 2 * (c.shared + slots) / (a + b)
	c.covered = weigh(c.oldLeft) == 0 && len(c.removed) == 0 && len(c.replaced) == 0 && c.shared >= 1
}

// names returns how much a pair of words says of the subject: nothing if it is weak or says what changed, and half if
// only the meaning is the same, as in "suite" and "test", or if both are counted.
func (c *comparison) names(p pair) float64 {
	a, b := &c.old.words[p.a], &c.new.words[p.b]
	same := slices.ContainsFunc(a.keys, func(k string) bool { return k[0] != '=' && slices.Contains(b.keys, k) })
	w := max(a.weight, b.weight)
	switch {
	case !b.char && slices.Contains(strings.Fields(c.new.change), language.Lower(b.text)):
		return 0
	case w <= weakWeight && !(a.side && b.side && same):
		return 0
	case w <= weakWeight:
		return sideSubject
	case b.char || same && !(a.counted && b.counted):
		return w
	}
	return w / 2
}

// How much two statements must share to be about the same, beside values and words of change.
const (
	leastSubject = 0.6
	sideSubject  = 0.6 // of one word that has an opposite, such as "export"
	oneWord      = 1.0
)

// oneMatter reports whether the statements speak of one attribute of one subject: what they share outweighs what each
// says of something else. If that is a single word, a value must stand in place of another of its kind, too.
func (c *comparison) oneMatter() bool {
	old, now := telling(c.oldLeft), telling(c.newLeft)
	apart := min(old, now)
	switch {
	case old+now == 0 && c.score >= longEnough, c.moved:
		return true
	case c.subject <= oneWord && apart >= oneWord && (c.score < sameSubject || len(c.replaced)+c.equalNumbers == 0):
		return false
	case c.new.change == "" && c.subject <= apart:
		return false
	}
	return c.subject >= leastSubject && c.subject >= leastSubject*apart
}

// lastShared is where the last word of the new statement ends that the old one has as well.
func (c *comparison) lastShared() (end int) {
	for _, p := range c.pairs {
		end = max(end, c.new.words[p.b].end)
	}
	return end
}
