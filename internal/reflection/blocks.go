package reflection

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blockKind is how a block is written.
type blockKind uint8

const (
	paragraph blockKind = iota
	heading
	bullet
	step // of a numbered list
	todo // a checklist item that is open
	done // a checklist item that is ticked
	unsure
	fence // code
	quote
	row
	rule // what divides: a ruler, the line under a head of a table
)

// span is a part of the note, in bytes.
type span struct{ start, end int }

func (s span) empty() bool { return s.end <= s.start }

// block is a line or some lines that belong together. The span from–to has its marks, and text has none.
type block struct {
	kind     blockKind
	from, to int
	text     span
	speaker  span // who says it, if the line says so
	indent   int
	gap      bool // an empty line precedes it
	lead     bool // a line that only introduces what follows: "Actions:"
	under    int  // the index of the heading or of the lead it stands under, -1 for none
	number   int  // of a step
}

// maxHead is how long a line may be that is a heading without a mark.
const maxHead = 60

// blocks divides a note. It reads each line once.
func blocks(text string) []block {
	p, at := blockParser{text: text}, 0
	for line := range strings.Lines(text) {
		p.line(at, at+len(strings.TrimSuffix(line, "\n")))
		at += len(line)
	}
	p.endCode()
	return p.out
}

type blockParser struct {
	text      string
	out       []block
	gap       bool
	fenceMark string // how the open code ends
	codeFrom  int
	codeTo    int
}

func (p *blockParser) line(from, to int) {
	raw := p.text[from:to]
	trimmed := strings.TrimSpace(raw)
	switch {
	case p.fenceMark != "":
		p.codeTo = to
		if strings.HasPrefix(trimmed, p.fenceMark) {
			p.endCode()
		}
		return
	case trimmed == "":
		p.gap = true
		return
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		p.fenceMark, p.codeFrom, p.codeTo = trimmed[:3], from+strings.Index(raw, trimmed), to
		return
	case strings.HasPrefix(trimmed, "-----BEGIN "):
		p.fenceMark, p.codeFrom, p.codeTo = "-----END ", from+strings.Index(raw, trimmed), to
		return
	}
	b := block{from: from + strings.Index(raw, trimmed), gap: p.gap, under: -1}
	b.to, b.indent = b.from+len(trimmed), b.from-from
	b.text = span{b.from, b.to}
	p.gap = false
	p.read(&b, trimmed)
	if !p.join(&b) {
		p.out = append(p.out, b)
	}
}

func (p *blockParser) endCode() {
	if p.fenceMark == "" {
		return
	}
	body := span{p.codeFrom, p.codeTo}
	if strings.HasPrefix(p.text[p.codeFrom:p.codeTo], p.fenceMark) { // its first line is the mark
		if n := strings.IndexByte(p.text[p.codeFrom:p.codeTo], '\n'); n >= 0 {
			body.start += n + 1
		}
		if n := strings.LastIndexByte(p.text[body.start:body.end], '\n'); n >= 0 &&
			strings.HasPrefix(strings.TrimSpace(p.text[body.start+n:body.end]), p.fenceMark) {
			body.end = body.start + n
		}
	}
	p.out = append(p.out, block{kind: fence, from: p.codeFrom, to: p.codeTo, text: body, gap: p.gap, under: -1})
	p.fenceMark, p.gap = "", false
}

// read finds out what kind of line s is, and where its text begins.
func (p *blockParser) read(b *block, s string) {
	switch {
	case isRule(s):
		b.kind = rule
	case s[0] == '#' && strings.HasPrefix(strings.TrimLeft(s, "#"), " "):
		b.kind = heading
		b.text.start += len(s) - len(strings.TrimLeft(s, "# "))
	case s[0] == '>':
		b.kind = quote
		b.text.start += len(s) - len(strings.TrimLeft(s, "> "))
	case s[0] == '|' && strings.Count(s, "|") > 2:
		b.kind = row
	case b.indent >= 4 && p.codeBefore(b):
		b.kind = fence
	default:
		p.readItem(b, s)
	}
	if b.text.start >= b.text.end {
		b.text.start = b.text.end
		if b.kind == paragraph {
			b.kind = rule
		}
	}
}

// codeBefore reports whether an indented line is code: it follows a lead and an empty line, or such code.
func (p *blockParser) codeBefore(b *block) bool {
	if len(p.out) == 0 {
		return false
	}
	last := p.out[len(p.out)-1]
	s := p.text[b.text.start:b.text.end]
	if _, _, ok := item(s); ok {
		return false
	}
	return last.kind == fence && !strings.HasPrefix(p.text[last.from:last.to], "```") ||
		(b.gap && last.kind == paragraph && strings.HasSuffix(p.text[last.from:last.to], ":"))
}

// isRule reports whether a line only divides.
func isRule(s string) bool {
	return strings.Trim(s, "-=*_+|:~· ") == ""
}

// readItem reads the mark of an item of a list, its box, the time and the speaker.
func (p *blockParser) readItem(b *block, s string) {
	kind, n, ok := item(s)
	if ok {
		b.kind = kind
		b.text.start += n
		if kind == step {
			b.number = leadingNumber(s)
		}
	}
	rest := p.text[b.text.start:b.text.end]
	if kind, n := box(rest); n > 0 {
		b.kind = kind
		b.text.start += n
		rest = p.text[b.text.start:b.text.end]
	}
	if name, n := signed(rest); n > 0 {
		b.speaker = span{b.text.start + name.start, b.text.start + name.end}
		b.text.start += n
		return
	}
	if n := clock(rest); n > 0 {
		b.text.start += n
		rest = rest[n:]
	}
	if name, n := speaker(rest); n > 0 {
		b.speaker = span{b.text.start + name.start, b.text.start + name.end}
		b.text.start += n
	}
}

// item reports whether a line is an item of a list, and how long its mark is.
func item(s string) (kind blockKind, length int, ok bool) {
	r, size := utf8.DecodeRuneInString(s)
	rest := s[size:]
	spaces := len(rest) - len(strings.TrimLeft(rest, " \t\u3000"))
	switch {
	case strings.ContainsRune("-*+", r) && spaces > 0:
		return bullet, size + spaces, true
	case strings.ContainsRune("•◦‣·▪・●–—", r) && len(rest) > 0:
		return bullet, size + spaces, true
	case strings.ContainsRune("☐□", r):
		return todo, size + spaces, true
	case strings.ContainsRune("☑✅✔☒", r):
		return done, size + spaces + strings.Count(rest[:min(3, len(rest))], "\ufe0f")*3, true
	case r >= '①' && r <= '⑳':
		return step, size + spaces, true
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits == 0 && len(s) > 2 && s[0] >= 'a' && s[0] <= 'h' && s[1] != ' ' {
		digits = 1 // a. b) and so on
	}
	if digits == 0 || digits > 2 || digits == len(s) {
		return paragraph, 0, false
	}
	mark, size := utf8.DecodeRuneInString(s[digits:])
	after := s[digits+size:]
	spaces = len(after) - len(strings.TrimLeft(after, " \t\u3000"))
	if strings.ContainsRune(".)", mark) && spaces > 0 || strings.ContainsRune("、．）", mark) {
		return step, digits + size + spaces, true
	}
	return paragraph, 0, false
}

func leadingNumber(s string) (n int) {
	if s[0] >= 'a' && s[0] <= 'h' {
		return int(s[0]-'a') + 1
	}
	n, _ = strconv.Atoi(s[:len(s)-len(strings.TrimLeft(s, "0123456789"))])
	return n
}

// box returns what a box at the beginning of s says, and its length.
func box(s string) (kind blockKind, length int) {
	if len(s) < 3 || s[0] != '[' {
		for _, mark := range []struct {
			text string
			kind blockKind
		}{{"☐", todo}, {"□", todo}, {"☑", done}, {"✅", done}, {"✔", done}, {"[]", todo}} {
			if rest, ok := strings.CutPrefix(s, mark.text); ok {
				return mark.kind, len(s) - len(strings.TrimLeft(rest, " \ufe0f"))
			}
		}
		return paragraph, 0
	}
	end := strings.IndexByte(s[:min(5, len(s))], ']')
	if end < 1 || end > 4 {
		return paragraph, 0
	}
	switch strings.TrimSpace(s[1:end]) {
	case "":
		kind = todo
	case "x", "X", "✓", "✔":
		kind = done
	case "?":
		kind = unsure
	default:
		return paragraph, 0
	}
	return kind, len(s) - len(strings.TrimLeft(s[end+1:], " "))
}

// clock returns the length of the time of day at the beginning of a line of a log or of a chat.
func clock(s string) int {
	inner := s
	bracket := len(s) > 0 && s[0] == '['
	if bracket {
		end := strings.IndexByte(s[:min(len(s), 30)], ']')
		if end < 0 {
			return 0
		}
		inner = s[1:end]
	}
	n := 0
	for n < len(inner) && n < 25 && strings.IndexByte("0123456789:-./TZ, ", inner[n]) >= 0 {
		n++
	}
	t := strings.TrimSpace(inner[:n])
	if !strings.Contains(t, ":") || len(t) < 4 || t[0] < '0' || t[0] > '9' {
		return 0
	}
	if bracket {
		if strings.TrimLeft(inner[n:], "apmAPM ") != "" {
			return 0
		}
		return len(inner) + 2 + spacesAt(s[len(inner)+2:])
	}
	if last := inner[n-1]; last != ' ' && last != '-' || strings.Count(t, "-") == 1 && strings.Count(t, ":") > 1 {
		return 0
	}
	return n
}

// signed returns the name and the length of the beginning of a line of a chat: "**kai** 09:26 ".
func signed(s string) (name span, length int) {
	if !strings.HasPrefix(s, "**") {
		return span{}, 0
	}
	end := strings.Index(s[2:min(len(s), 40)], "**")
	if end <= 0 {
		return span{}, 0
	}
	after := 4 + end
	after += spacesAt(s[after:])
	n := clock(s[after:])
	if n == 0 {
		return span{}, 0
	}
	return span{2, 2 + end}, after + n
}

func spacesAt(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// speaker returns the name before a colon at the beginning of a line and the length of both. It only knows the form;
// resolve.go takes back what is a label: "Next: …".
func speaker(s string) (name span, length int) {
	if len(s) > 2 && s[0] == '<' {
		if end := strings.IndexByte(s[:min(len(s), 30)], '>'); end > 1 && !strings.ContainsAny(s[1:end], "/ @") {
			return span{1, end}, end + 1 + spacesAt(s[end+1:])
		}
	}
	colon := strings.IndexAny(s[:min(len(s), 40)], ":：")
	if colon <= 0 {
		return span{}, 0
	}
	_, size := utf8.DecodeRuneInString(s[colon:])
	after := s[colon+size:]
	if after == "" || size == 1 && after[0] != ' ' {
		return span{}, 0
	}
	who := s[:colon]
	if open := strings.IndexAny(who, "(["); open > 0 {
		who = strings.TrimSpace(who[:open])
	}
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsSpace(r) && !strings.ContainsRune(".'_-’·/", r)
	}
	if words := len(strings.Fields(who)); words == 0 || words > 3 || strings.ContainsFunc(who, other) {
		return span{}, 0
	}
	return span{0, len(who)}, colon + size + len(after) - len(strings.TrimLeft(after, " \t"))
}

// join adds a line to the block before it, if it goes on there.
func (p *blockParser) join(b *block) bool {
	if len(p.out) == 0 || b.gap || b.kind != paragraph && b.kind != quote && b.kind != fence {
		return false
	}
	last := &p.out[len(p.out)-1]
	text := p.text[last.text.start:last.text.end]
	switch {
	case b.kind == quote:
		return false
	case b.kind == fence:
		if last.kind != fence {
			return false
		}
	case last.kind == quote || last.kind == fence || last.kind == heading || last.kind == rule || last.kind == row:
		return false
	case !b.speaker.empty() || b.from != b.text.start:
		return false
	case !goesOn(text, p.text[b.text.start:b.text.end]):
		return false
	}
	last.to, last.text.end = b.to, b.text.end
	return true
}

// goesOn reports whether a line is the rest of a sentence that the lines before began: people break lines at a width.
func goesOn(before, line string) bool {
	if len(before) < 20 || len(line) == 0 {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(line)
	begin, _ := utf8.DecodeRuneInString(before)
	lastLine := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.ContainsRune(".!?:。！？…：", end) || len(lastLine) > 110 {
		return false
	}
	if len(lastLine) > 30 && is(lastWord(lastLine), roleUnfinished) {
		return true
	}
	if unicode.IsLower(begin) && lastLine == before {
		return false // somebody who writes everything in lower case
	}
	return len(lastLine) >= 55 && (unicode.IsLower(first) || end == ',')
}
