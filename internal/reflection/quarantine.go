package reflection

import (
	"strings"

	"github.com/loci-memory/loci/internal/recall"
)

// quarantine excludes what reads like an order to a model, and what stands around it in the same quotation.
func (x *extractor) quarantine() {
	for k := 0; k < len(x.units); k++ {
		u := &x.units[k]
		if !x.traits[k].has(cueInjection) && !recall.Instructs(x.text[u.start:u.end]) {
			continue
		}
		x.outlaw(k)
		for n := k - 1; n >= 0 && x.sameQuote(n, k); n-- {
			x.outlaw(n)
		}
		for k+1 < len(x.units) && x.follows(k) {
			k++
			x.outlaw(k)
		}
	}
}

func (x *extractor) outlaw(k int) {
	r := &x.rulings[k]
	r.kind, r.p, r.why = kindNone, 0, WhyInstruction
	for i := range r.banned {
		r.banned[i] = true
	}
}

// sameQuote reports whether an earlier unit stands in the same quotation.
func (x *extractor) sameQuote(n, k int) bool {
	if x.units[n].block != x.units[k].block {
		return x.units[n].block == x.units[k].block-1 && x.blocks[x.units[n].block].kind == quote &&
			x.blocks[x.units[k].block].kind == quote
	}
	return x.units[k].quoted && x.units[n].quoted
}

// follows reports whether the unit after k goes on with the text that unit k is from.
func (x *extractor) follows(k int) bool {
	u, next := &x.units[k], &x.units[k+1]
	a, b := &x.blocks[u.block], &x.blocks[next.block]
	if u.block != next.block {
		return a.kind == quote && b.kind == quote && next.block == u.block+1
	}
	if a.kind == quote || a.kind == row {
		return true
	}
	if strings.ContainsAny(x.text[u.start:u.end], "\"“”„«»「」『』") {
		end := x.text[max(u.start, u.end-8):u.end]
		return !strings.ContainsAny(end, "\"”“»」』")
	}
	t := x.traits[k+1]
	return t.has(cueInjection) || t.front[cueImperative] || t.has(cueStanding) || t.has(cueNegation)
}
