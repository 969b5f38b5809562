package reflection

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

// page is a note that was read: its blocks with their tokens and cues, and its units.
type page struct {
	text   string
	blocks []block
	toks   [][]token // of each block, without its mark and its speaker
	hits   [][]hit   // of each block
	labels []label   // of each block
	units  []unit
	langs  language.Languages
	talk   bool // a transcript: at least two lines have speakers
}

// label is what a block says about itself or about the blocks under it.
type label struct {
	class class
	found bool
	end   int // tokens of the label and its colon
}

// read reads a note up to its units.
func read(text string) *page {
	p := &page{text: text, blocks: blocks(text), langs: languagesOf(text[:trimRune(text, min(len(text), sample))])}
	p.toks = make([][]token, len(p.blocks))
	p.hits = make([][]hit, len(p.blocks))
	p.labels = make([]label, len(p.blocks))
	speakers := p.speakers()
	for i := range p.blocks {
		b := &p.blocks[i]
		p.unspeak(b, speakers)
		if b.kind == rule || b.kind == fence {
			continue
		}
		p.toks[i] = tokens(text[b.text.start:b.text.end], b.text.start, nil)
		p.hits[i] = findCues(p.toks[i], p.languages(b), nil)
		p.labels[i] = labelOf(p.toks[i], p.hits[i])
		p.head(i)
	}
	p.stand()
	p.units = p.divide()
	return p
}

// sample is how many bytes of a note tell its languages.
const sample = 20_000

// languages returns the languages of a block: those of the note, or its own if it is long and in another language.
func (p *page) languages(b *block) language.Languages {
	if b.text.end-b.text.start < 60 {
		return p.langs
	}
	langs := languagesOf(p.text[b.text.start:b.text.end])
	if both := langs & p.langs; both != 0 {
		return both
	}
	return langs
}

// speakers counts the lines of each name that could be a speaker's.
func (p *page) speakers() map[string]int {
	count := map[string]int{}
	for i := range p.blocks {
		if s := p.blocks[i].speaker; !s.empty() {
			count[language.Fold(p.text[s.start:s.end])]++
		}
	}
	lines := 0
	for _, n := range count {
		lines += n
	}
	p.talk = lines > 2 && len(count) < lines
	return count
}

// unspeak takes back a speaker who is a label ("Next:"), or is no name.
func (p *page) unspeak(b *block, count map[string]int) {
	if b.speaker.empty() {
		return
	}
	name := p.text[b.speaker.start:b.speaker.end]
	toks := append(tokens(name, 0, nil), token{form: ":", kind: punct})
	first, _ := utf8.DecodeRuneInString(name)
	isName := unicode.IsUpper(first) || unspacedRune(first) || count[language.Fold(name)] > 1 && p.talk
	for _, t := range toks {
		isName = isName && (t.kind != word || !is(t.form, roleCommon|roleWhen) || len(t.form) == 1)
	}
	if !labelOf(toks, findCues(toks, p.langs, nil)).found && isName {
		return
	}
	b.text.start, b.speaker = b.speaker.start, span{}
	if b.text.start > b.from && p.text[b.text.start-1] == '<' {
		b.text.start--
	}
}

func (c class) isLabel() bool { return c >= labelDecision && c <= labelQuote }

// maxLabel is how many tokens may stand before the word that makes a label.
const maxLabel = 8

// labelOf returns the label at the beginning of some tokens: "Next:", "Decision –".
func labelOf(toks []token, hits []hit) (found label) {
	for _, h := range hits {
		if h.from > maxLabel {
			break
		}
		if h.class == labelProcedure && h.to < len(toks) && toks[h.to].form == ":" { // "Steps for the lab, in short: …"
			return label{h.class, true, h.to + 1}
		}
		if h.from > 1 {
			continue
		}
		if !h.class.isLabel() || h.to <= found.end-1 || h.to >= len(toks) {
			continue
		}
		if h.from == 1 && toks[0].kind != punct && toks[0].kind != number {
			continue
		}
		end := h.to
		for end < len(toks)-1 && end < h.to+3 && toks[end].kind == word && h.from == 0 { // "Status tonight:"
			end++
		}
		if end > h.to && toks[end].form != ":" {
			end = h.to
		}
		if toks[end].form == "(" { // "Actions (by Friday):"
			for end < len(toks) && end < h.to+8 && toks[end].form != ")" {
				end++
			}
			end++
		}
		if end < len(toks) && (toks[end].form == ":" || toks[end].form == "-" && toks[end].start > toks[end-1].end ||
			toks[end].form == "=" || toks[end].form == "→") {
			found = label{h.class, true, end + 1}
		}
	}
	return found
}

// head finds out whether a block is a heading without a mark, or a lead.
func (p *page) head(i int) {
	b := &p.blocks[i]
	toks := p.toks[i]
	if len(toks) == 0 {
		return
	}
	text := p.text[b.text.start:b.text.end]
	last := toks[len(toks)-1].form
	if b.kind == heading || b.kind == paragraph && len(text) <= maxHead && headlike(text, toks) {
		b.kind = heading
		p.labels[i] = headingLabel(toks, p.hits[i])
		return
	}
	if last == ":" {
		b.lead = true
		if !p.labels[i].found {
			p.labels[i] = headingLabel(toks, p.hits[i])
		}
		return
	}
	if b.kind == paragraph && len(toks) <= 4 { // "Next steps"
		if l := headingLabel(toks, p.hits[i]); l.found && l.end == len(toks) {
			b.kind, p.labels[i] = heading, l
		}
	}
}

// headlike reports whether a line is written like a heading: in capitals, or in bold.
func headlike(text string, toks []token) bool {
	if strings.HasPrefix(text, "**") && strings.HasSuffix(strings.TrimRight(text, ":"), "**") {
		return true
	}
	upper, words := 0, 0
	for i := range toks {
		if toks[i].kind == word {
			words++
			if s := text[toks[i].start-toks[0].start : min(len(text), toks[i].end-toks[0].start)]; s == strings.ToUpper(s) &&
				s != strings.ToLower(s) && len(s) > 1 {
				upper++
			}
		}
	}
	last := toks[len(toks)-1].form
	return words > 0 && words == upper && len(toks) <= 6 && last != "." && last != "!" && last != "?"
}

// headingLabel returns the label that a heading has: the longest one near its beginning or its end.
func headingLabel(toks []token, hits []hit) (found label) {
	length := 0
	for _, h := range hits {
		if !h.class.isLabel() || h.to-h.from <= length || len(toks) > 8 && h.from > 1 {
			continue
		}
		length = h.to - h.from
		found = label{h.class, true, h.to}
		if found.end < len(toks) && toks[found.end].form == ":" {
			found.end++
		}
	}
	return found
}

// stand tells each block which heading or lead it stands under.
func (p *page) stand() {
	head, lead, table := -1, -1, -1
	for i := range p.blocks {
		b := &p.blocks[i]
		switch {
		case b.kind == heading:
			head, lead = i, -1
			continue
		case b.kind == rule:
			continue
		case p.tableHead(i):
			p.labels[i] = headingLabel(p.toks[i], p.hits[i])
			table = i
		case b.kind == row && table >= 0:
			b.under = table
			continue
		}
		if b.kind != row {
			table = -1
		}
		past := i > lead+1 && lead >= 0 && p.blocks[lead+1].kind != paragraph
		if b.kind == paragraph && (b.gap || past) {
			lead = -1
		}
		if b.lead && (b.kind == paragraph || lead < 0) {
			lead = -1
		}
		if b.under = head; lead >= 0 {
			b.under = lead
		}
		if b.lead {
			lead = i
		}
	}
}

func (p *page) tableHead(i int) bool {
	return p.blocks[i].kind == row && i+1 < len(p.blocks) && p.blocks[i+1].kind == rule
}
