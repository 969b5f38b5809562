package reflection

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
	return one(conditional(x.toks[next.block][x.body(next)].form) && x.rulings[k+1].kind == kindIdea)
}
