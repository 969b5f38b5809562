package reflection

import (
	"slices"
	"sort"
	"strings"
)

// longSentence is from how many words on a sentence with hardly a mark counts as dictated. It is divided at
// more places.
const longSentence = 30

// leastClause is how many words a clause must have.
const leastClause = 3

// clauses appends a sentence, divided where it makes two statements: "Tom will test both and we talk on Tuesday".
func (p *page) clauses(u unit, units []unit) []unit {
	toks := p.toks[u.block]
	d := divider{page: p, toks: toks, block: u.block, start: u.from, dictated: dictated(toks[u.from:u.to])}
	d.hit = p.firstHit(u.block, u.from)
	words := 0
	for k := u.from + 1; k < u.to; k++ {
		if toks[k-1].kind != punct {
			words++
		}
		if words < leastClause || u.to-k < leastClause {
			continue
		}
		right, ok := d.divides(k, u.to)
		if !ok {
			continue
		}
		part := u
		part.from, part.to, part.clause = d.start, k, true
		part.end = toks[k-1].end
		if d.start > u.from {
			part.start, part.label, part.after = toks[d.start].start, label{}, true
		}
		units = append(units, part)
		d.start, words, k = right, 0, max(k, right)
	}
	if d.start > u.from {
		u.from, u.start, u.label, u.clause, u.after = d.start, toks[d.start].start, label{}, true, true
	}
	return append(units, u)
}

// dictated reports whether a sentence is long and has hardly a mark.
func dictated(toks []token) bool {
	marks, words := 0, 0
	for i := range toks {
		switch toks[i].kind {
		case punct:
			marks++
		case word:
			words++
		}
	}
	return words > longSentence && marks*15 < words
}

// divider looks for the places where a sentence is divided.
type divider struct {
	*page
	toks     []token
	block    int
	start    int // of the current clause
	hit      int // the first cue that may begin at the next clause
	dictated bool
}

// divides reports whether a clause ends before token k, and where the next one begins.
func (d *divider) divides(k, end int) (right int, ok bool) {
	right, mark := d.connection(k)
	if mark == "," && right < end && d.toks[right].form == "not" {
		return 0, false // it says what is not meant
	}
	if right == 0 && d.dictated && d.content(k-1) {
		right = k
	}
	if right == 0 || right >= end-1 || is(d.toks[d.start].form, roleConditional) && !d.dictated {
		return 0, false
	}
	for d.hit < len(d.hits[d.block]) && d.hits[d.block][d.hit].from < right {
		d.hit++
	}
	switch {
	case d.opens(right), d.turns(k, right):
		return right, true
	case d.dictated && right > k:
		return right, mark == "" && is(d.toks[k].form, roleInterjects) || subject(&d.toks[right]) || d.finite(right)
	case d.dictated:
		return right, is(d.toks[k].form, roleStarts)
	}
	return right, mark != "" && d.concludes(k+1, right)
}

// connection returns where the next clause would begin if a mark or a connecting word at k ends one, 0 if none does.
func (d *divider) connection(k int) (right int, mark string) {
	t := &d.toks[k]
	if t.kind == punct {
		switch t.form {
		case ";", ",", "→", "、", "，":
		case "-":
			if t.start == d.toks[k-1].end || k+1 < len(d.toks) && t.end == d.toks[k+1].start {
				return 0, ""
			}
		default:
			return 0, ""
		}
		mark = t.form
	} else if d.toks[k-1].kind == punct || !is(t.form, roleConnects) {
		return 0, ""
	}
	right = k + 1
	for right < len(d.toks) && is(d.toks[right].form, roleConnects) {
		right++
	}
	return right, mark
}

// opens reports whether a statement of its own begins at a token, by its cues.
func (d *divider) opens(right int) bool {
	order := is(d.toks[right].form, roleVerb) && !is(d.toks[d.start].form, roleVerb)
	for h := d.hit; h < len(d.hits[d.block]) && d.hits[d.block][h].from <= right+5; h++ {
		hit := d.hits[d.block][h]
		if hit.class == cueWhen && order && d.toks[right-1].form == "," {
			return true
		}
		if hit.from != right {
			continue
		}
		switch hit.class {
		case cuePlan, cueDecision, cueIdea, cueSession, cueUndecided:
			if hit.to-hit.from > 1 || hit.start {
				return true
			}
		case cueRefusal:
			if hit.to-hit.from > 1 && !hit.start {
				return true
			}
		case labelPlan, labelDecision, labelIdea:
			if hit.to < len(d.toks) && d.toks[hit.to].form == ":" {
				return true
			}
		}
	}
	return false
}

// turns reports whether the clause tells what was first, and the next one what came instead.
func (d *divider) turns(k, right int) bool {
	return anyIs(d.toks[k:right], roleInterjects) && slices.ContainsFunc(d.hitsIn(d.block, d.start, d.start+4),
		func(h hit) bool { return h.class == cueSuperseded })
}

// finite reports whether a verb follows the token that would be a subject.
func (d *divider) finite(right int) bool {
	if is(d.toks[right].form, roleVerb|rolePast) {
		return false
	}
	for h := d.hit; h < len(d.hits[d.block]) && d.hits[d.block][h].from <= right+2; h++ {
		hit := d.hits[d.block][h]
		switch hit.class {
		case cueState, cueFuture, cueFinding, cuePreference:
			if hit.from > right {
				return true
			}
		}
	}
	return false
}

// content reports whether a token is a word that no object need follow: no article, no preposition, no auxiliary.
func (d *divider) content(k int) bool {
	t := &d.toks[k]
	return t.kind != punct && !is(t.form, roleConnects) && !is(t.form, roleCommon|roleVerb|rolePast) &&
		!strings.HasSuffix(t.form, "ed") && !strings.HasSuffix(t.form, "ing") && !is(t.form, roleConditional)
}

// concludes reports whether one of the tokens draws a conclusion: "…, deshalb fahren wir im Mai".
func (d *divider) concludes(from, to int) bool {
	return anyIs(d.toks[from:max(from, to)], roleConcludes)
}

// subject reports whether a token is a subject with which statements begin.
func subject(t *token) bool {
	return is(t.form, roleSubject|roleStarts) || t.kind == word && t.upper && !is(t.form, roleCommon)
}

// firstHit returns the index of the first cue of a block from a token on.
func (p *page) firstHit(i, from int) int {
	return sort.Search(len(p.hits[i]), func(k int) bool { return p.hits[i][k].from >= from })
}

// hitsIn returns the cues of a block that begin with one of some tokens.
func (p *page) hitsIn(i, from, to int) []hit { return p.hits[i][p.firstHit(i, from):p.firstHit(i, to)] }
