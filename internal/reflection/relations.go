package reflection

// Relation connects two parts of a note, or a candidate and a name, a day or a thing in it.
type Relation struct {
	Type     string // supersedes, contradicts, because, owner, due, entity
	From, To Span
	Value    string // what To says: the name, the day, the thing
}

// relate finds the relations.
func (x *extractor) relate() {}

// reasons returns how many units after a decision are its reason.
func (x *extractor) reasons(k int) int {
	if x.rulings[k].kind != kindDecision || k+1 >= len(x.units) {
		return 0
	}
	next, t := &x.units[k+1], x.traits[k+1]
	if next.block != x.units[k].block || !t.front[cueRationale] || x.rulings[k+1].why != "" {
		return 0
	}
	switch x.rulings[k+1].kind {
	case kindClaim, kindNone:
		return 1
	}
	return 0
}
