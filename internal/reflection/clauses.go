package reflection

// longSentence is from how many tokens on a sentence counts as dictated: it is divided at more words.
const longSentence = 40

// leastClause is how many words a clause must have.
const leastClause = 3

// clauses appends a sentence, divided where it makes two statements: "Tom will test both and we talk on Tuesday".
func (p *page) clauses(u unit, units []unit) []unit {
	toks := p.toks[u.block]
	start := u.from
	long := u.to-u.from > longSentence
	words := 0
	hitAt := p.firstHit(u.block, u.from)
	for k := u.from + 1; k < u.to; k++ {
		if toks[k-1].kind != punct {
			words++
		}
		if words < leastClause || u.to-k < leastClause {
			continue
		}
		right, ok := divides(toks, k)
		if !ok || right >= u.to-1 {
			continue
		}
		for hitAt < len(p.hits[u.block]) && p.hits[u.block][hitAt].from < right {
			hitAt++
		}
		if !p.opens(u.block, start, right, hitAt, long) {
			continue
		}
		part := u
		part.from, part.to, part.clause = start, k, true
		part.start, part.end = toks[start].start, toks[k-1].end
		if start == u.from {
			part.start = u.start
		} else {
			part.label, part.after = label{}, true
		}
		units = append(units, part)
		start, words = k, 0
		if right > k {
			start = right
		}
		k = max(k, start)
	}
	if start > u.from {
		u.from, u.start, u.label, u.clause, u.after = start, toks[start].start, label{}, true, true
	}
	return append(units, u)
}

// firstHit returns the index of the first cue of a block from a token on.
func (p *page) firstHit(i, from int) int {
	lo, hi := 0, len(p.hits[i])
	for lo < hi {
		if mid := (lo + hi) / 2; p.hits[i][mid].from < from {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// divides reports whether a clause may end before token k, and where the next one begins.
func divides(toks []token, k int) (right int, ok bool) {
	t := &toks[k]
	if t.kind == punct {
		switch t.form {
		case ";", ",", "→", "、", "，":
			right = k + 1
		case "-":
			if t.start == toks[k-1].end || k+1 < len(toks) && t.end == toks[k+1].start {
				return 0, false
			}
			right = k + 1
		default:
			return 0, false
		}
		for right < len(toks) && connects(toks[right].form) {
			right++
		}
		return right, true
	}
	if toks[k-1].kind == punct || !connects(t.form) {
		return 0, false
	}
	right = k + 1
	for right < len(toks) && connects(toks[right].form) {
		right++
	}
	return right, true
}

// connects reports whether a word connects statements.
func connects(form string) bool {
	switch form {
	case "and", "but", "so", "then", "also", "oh", "um", "uh", "ok", "okay", "plus", "yeah", "und", "aber", "et", "mais",
		"donc", "y", "pero", "e", "mas", "entonces", "entao", "dann", "puis", "anyway", "luego", "ah", "well":
		return true
	}
	return false
}

// opens reports whether a statement of its own begins at token right. Cues from hitAt on begin there or later.
func (p *page) opens(i, start, right, hitAt int, long bool) bool {
	toks := p.toks[i]
	if conditional(toks[start].form) {
		return false
	}
	strong := false
	for h := hitAt; h < len(p.hits[i]) && p.hits[i][h].from <= right+1; h++ {
		hit := p.hits[i][h]
		switch hit.class {
		case cuePlan, cueDecision, cueIdea, cueSession, cueUndecided:
			strong = strong || hit.from == right && (hit.to-hit.from > 1 || hit.start)
		case cueRefusal:
			strong = strong || hit.from == right && hit.to-hit.from > 1 && !hit.start
		case labelPlan, labelDecision, labelIdea:
			strong = strong || hit.from == right && hit.to < len(toks) && toks[hit.to].form == ":"
		}
	}
	if long && subject(&toks[right]) {
		return true
	}
	return strong
}

func conditional(form string) bool {
	switch form {
	case "if", "when", "once", "unless", "wenn", "falls", "sobald", "si", "cuando", "quand", "se", "quando", "whenever", "as", "because",
		"since", "while", "whether", "ob":
		return true
	}
	return false
}

// subject reports whether a token is a subject with which statements begin.
func subject(t *token) bool {
	switch t.form {
	case "i", "we", "he", "she", "they", "it", "the", "my", "our", "there", "that", "this", "you", "i'll", "we'll", "i'm", "we're", "it's",
		"that's", "there's", "what", "should", "maybe", "tell", "remind", "from", "ich", "wir", "der", "die", "das", "es", "je", "on", "nous",
		"le", "la", "il", "elle", "yo", "el", "los", "nosotros", "eu", "a", "o", "ele", "ela":
		return true
	}
	return t.kind == word && t.upper && wordLists()[t.form]&roleCommon == 0
}
