package recall

// Value is a word of a text of which only one of several can hold: a side of a group of opposites, or a negation.
type Value struct {
	Group, Side int // of a negation: -1, 0
	Sides       int // how many sides the group has
	Word        string
}

// Denies reports whether the value is a negation.
func (v Value) Denies() bool { return v.Group == negation }

// Values returns the values that Compare weighs, and how often each is there.
func (r *Text) Values() map[Value]int {
	list := map[Value]int{}
	for v, n := range r.values() {
		list[Value{v.group, v.side, sides()[v.group], v.word}] = n
	}
	return list
}
