package reflection

import (
	"slices"
	"strings"

	"github.com/loci-memory/loci/internal/language"
)

type unitKind uint8

const (
	statement unitKind = iota
	steps              // the steps of a procedure, with their lead
	listing            // code, with its lead
	tableRow
)

// unit is what can become a candidate: a sentence or a clause, a row, the steps of a procedure, or code.
type unit struct {
	span
	kind     unitKind
	block    int // the first block
	from, to int // tokens of the block
	label    label
	after    bool // it is not the first unit of its block
	clause   bool // it is a part of a sentence
	quoted   bool // most of it stands in quotation marks
}

// maxSteps is how many blocks a procedure may have.
const maxSteps = 60

func (p *page) divide() []unit {
	var units []unit
	for i := 0; i < len(p.blocks); i++ {
		if u, n := p.group(i); n > 0 {
			units = append(units, u)
			i += n - 1
			continue
		}
		units = p.unitsOf(i, units)
	}
	return units
}

// unitsOf appends the units of one block.
func (p *page) unitsOf(i int, units []unit) []unit {
	b := &p.blocks[i]
	switch {
	case b.kind == rule || b.kind == heading || len(p.toks[i]) == 0:
		return units
	case b.lead && p.leads(i):
		return units
	case b.kind == row:
		if p.tableHead(i) {
			return units
		}
		return append(units, unit{span: b.text, kind: tableRow, block: i, to: len(p.toks[i])})
	}
	var list []span
	list = sentences(p.text, b.text, list)
	at, first := 0, len(units)
	for _, s := range list {
		u := unit{span: s, block: i, from: at}
		for at < len(p.toks[i]) && p.toks[i][at].start < s.end {
			at++
		}
		u.to = at
		if u.from == u.to {
			continue
		}
		if u.from == 0 {
			u.label = p.labels[i]
		} else {
			u.label = p.labelIn(i, u.from, u.to)
		}
		u.after = len(units) > first
		units = p.clauses(u, units)
	}
	return units
}

// labelIn returns the label at the beginning of a later sentence of a block: "… Next: call Ann."
func (p *page) labelIn(i, from, to int) label {
	var near []hit
	for _, h := range p.hitsIn(i, from, from+maxLabel+1) {
		h.from, h.to = h.from-from, h.to-from
		near = append(near, h)
	}
	return labelOf(p.toks[i][from:to], near)
}

// leads reports whether a lead only introduces the blocks after it.
func (p *page) leads(i int) bool {
	if i+1 >= len(p.blocks) {
		return true
	}
	next := p.blocks[i+1].kind
	return next == bullet || next == step || next == todo || next == done || next == fence || next == quote ||
		next == row ||
		len(p.toks[i]) <= 6
}

// group returns the steps or the code that begin at a block, perhaps with their lead, and how many blocks they are.
func (p *page) group(i int) (u unit, n int) {
	lead := 0
	if b := &p.blocks[i]; (b.kind == paragraph || b.kind == heading || b.kind == bullet) && p.introduces(i) {
		lead = 1
	}
	at := i + lead
	if at >= len(p.blocks) {
		return u, 0
	}
	switch b := &p.blocks[at]; {
	case b.kind == fence && (lead > 0 || p.commands(at) || p.labelAbove(at, labelProcedure)):
		u = unit{span: b.text, kind: listing, block: i}
		if strings.HasPrefix(p.text[b.from:b.to], "-----BEGIN") {
			return u, 0
		}
		u.start, u.end, n = b.from, b.to, 1
	case b.kind == step && b.number <= 1, b.kind == bullet && lead > 0, b.kind == todo && lead > 0:
		n = p.procedure(i, at, lead > 0)
		u = unit{span: span{b.text.start, p.blocks[max(at, at+n-1)].text.end}, kind: steps, block: i}
		u.start = b.from
	}
	if n == 0 {
		return u, 0
	}
	if lead > 0 {
		u.start, u.to = p.blocks[i].text.start, len(p.toks[i])
	}
	if u.empty() {
		return u, 0
	}
	return u, n + lead
}

// introduces reports whether the block may be the lead of a procedure.
func (p *page) introduces(i int) bool {
	b := &p.blocks[i]
	if i+1 >= len(p.blocks) || len(p.toks[i]) == 0 || len(p.toks[i]) > 30 {
		return false
	}
	next := &p.blocks[i+1]
	if next.kind == fence {
		return b.lead || b.kind != heading && !next.gap && p.has(i, cueProcedure)
	}
	if next.kind != step && next.kind != bullet && next.kind != todo || b.kind == bullet && next.indent <= b.indent {
		return false
	}
	return (b.lead || b.kind == heading || p.isGerund(i) || p.has(i, cueProcedure)) && (b.kind != bullet || b.lead)
}

func (p *page) has(i int, c class) bool {
	return slices.ContainsFunc(p.hits[i], func(h hit) bool { return h.class == c && (!h.start || h.from == 0) })
}

// commands reports whether code is what one types into a shell, without a lead.
func (p *page) commands(i int) bool {
	b := &p.blocks[i]
	return strings.HasPrefix(strings.TrimSpace(p.text[b.text.start:b.text.end]), "$ ")
}

// procedure returns how many of the blocks from at on are the steps of one procedure, 0 if they are none.
func (p *page) procedure(i, at int, lead bool) int {
	n, c := p.list(at)
	kind := p.blocks[at].kind
	how := lead && (p.labels[i].found && p.labels[i].class == labelProcedure || p.has(i, cueProcedure)) ||
		p.labelAbove(at, labelProcedure) || lead && p.isGerund(i) && c.orders*3 >= c.items*2
	notHow := false
	for _, l := range [...]class{labelPlan, labelDecision, labelIdea, labelQuestion, labelSession, labelClaim} {
		notHow = notHow || p.labelAbove(at, l) || lead && p.labels[i].found && p.labels[i].class == l
	}
	switch {
	case c.items < 2 || c.others*2 > c.items:
		return 0
	case how && (!notHow || c.orders*2 >= c.items) && (c.orders*3 >= c.items || kind == step || p.blocks[i].lead &&
		!notHow):
		return n
	case kind != step || notHow || c.others > 0 || c.items < 3:
		return 0
	case c.orders*3 >= c.items*2, c.stated*4 <= c.items:
		return n
	}
	return 0
}

// count is what a list is made of.
type count struct{ items, orders, others, stated int }

// list counts the items of the list that begins at a block, and returns how many blocks it has.
func (p *page) list(at int) (n int, c count) {
	first := &p.blocks[at]
	for k := at; k < len(p.blocks) && n < maxSteps; k++ {
		b := &p.blocks[k]
		switch {
		case b.indent > first.indent && (b.kind == bullet || b.kind == paragraph || b.kind == fence) && c.items > 0 && !b.gap:
		case b.kind == fence && c.items > 0 && !b.gap && first.kind == step:
		case b.kind != first.kind, b.indent < first.indent, b.gap && b.kind != step, b.kind == step && b.number <= 1 &&
			c.items > 0:
			return n, c
		default:
			p.order(k, &c)
		}
		n++
	}
	return n, c
}

// labelAbove reports whether the heading or the lead over a block has a label of a class.
func (p *page) labelAbove(i int, c class) bool {
	for up, n := p.blocks[i].under, 0; up >= 0 && n < 3; up, n = p.blocks[up].under, n+1 {
		if p.labels[up].found && p.labels[up].class == c {
			return true
		}
	}
	return false
}

// order counts a step: whether it is an order, states something, or is rather a decision, a task of somebody
// or a question.
func (p *page) order(i int, c *count) {
	toks := p.toks[i]
	order, other, stated := false, !p.blocks[i].speaker.empty(), false
	if len(toks) > 0 {
		order = toks[0].kind == code || toks[0].kind == file
		if p.langs&language.German != 0 && infinitive(toks[len(toks)-1].form) {
			order = true
		}
	}
	for _, h := range p.hits[i] {
		switch h.class {
		case cueImperative:
			order = order || h.from <= 1
		case cueProcedure:
			order = order || h.from <= 2 && !h.start
		case cueQuestion:
			other = other || h.to == len(toks)
		case cueUndecided:
			other = other || h.to-h.from > 1
		case cuePlan:
			other = other || h.from == 0 && toks[0].upper && h.start
		case cueState, cueReported, cueFuture, cueMeasure, cueDecision, cueRefusal:
			stated = stated || toks[0].kind != ideograph
		}
	}
	if wideOrder, wideStated := unspacedStep(toks); len(toks) > 0 && toks[0].kind == ideograph || wideOrder || wideStated {
		order, stated = order || wideOrder, stated || wideStated
	}
	c.items++
	c.orders += one(order)
	c.others += one(other)
	c.stated += one(stated && !order)
}

// What Japanese steps end with, and what statements end with that are none.
var (
	stepEnds = []string{"る", "す", "く", "ぐ", "う", "つ", "む", "ぶ", "ぬ", "実行", "確認", "開始", "停止", "起動", "削除", "設定", "入力",
		"再起動", "ください", "こと"}
	statedEnds = []string{"です", "ました", "った", "した", "ている", "ています", "だ", "なる", "ある", "いる", "である", "ません", "ない"}
)

// maxStepEnd is how many characters at the end of a step are looked at.
const maxStepEnd = 4

// unspacedStep reports whether a step in Japanese ends as an order does, or as a statement.
func unspacedStep(toks []token) (order, stated bool) {
	end := len(toks)
	for end > 0 && toks[end-1].kind == punct {
		end--
	}
	last := ""
	for i := max(0, end-maxStepEnd); i < end; i++ {
		if last += toks[i].form; toks[i].kind != ideograph {
			last = ""
		}
	}
	ends := func(list []string) bool {
		return slices.ContainsFunc(list, func(e string) bool { return strings.HasSuffix(last, language.Fold(e)) })
	}
	if stated = ends(statedEnds); stated || last == "" {
		return false, stated
	}
	return ends(stepEnds), false
}

// isGerund reports whether a heading says how something is done: "Rotating the key".
func (p *page) isGerund(i int) bool {
	toks := p.toks[i]
	return len(toks) > 2 && toks[0].kind == word && len(toks[0].form) > 5 && strings.HasSuffix(toks[0].form, "ing") &&
		gerundObjects[toks[1].form]
}

// gerundObjects stand between such a word and what it is about.
var gerundObjects = set("the a an your our my up down out on")

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
