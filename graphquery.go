package loci

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// GraphOp is the operator that joins the parts of a GraphQuery.
type GraphOp string

// The operators. GraphWords is a leaf: words that follow each other.
const (
	GraphWords GraphOp = "words"
	GraphAnd   GraphOp = "and"
	GraphOr    GraphOp = "or"
	GraphNot   GraphOp = "not" // the first part without the second
)

// GraphQuery is a parsed search of a graph.
type GraphQuery struct {
	Op     GraphOp
	Text   string // only of GraphWords
	Prefix bool   // only of GraphWords: the last word is a prefix
	Parts  []*GraphQuery
	Plain  bool // only of the root: plain words without operators
}

// ParseGraphQuery parses a search in the syntax of FTS5: words (all must occur), AND, OR, NOT, "phrases", prefix* and
// parentheses. A text without these operators is plain words, whatever punctuation it contains. If a query with
// operators is wrong, an Invalid error states why. All words of a phrase must occur in one name, type or observation.
// The parts of an AND may occur in different texts of an entity. The right part of a NOT must occur in none of them.
func ParseGraphQuery(text string) (*GraphQuery, error) {
	if err := CheckText("query", text, 1, MaxTerm); err != nil {
		return nil, err
	}
	tokens, operators, err := graphTokens(text)
	if err != nil {
		return nil, err
	}
	if !operators {
		return plainWords(text)
	}
	p := graphParser{tokens: tokens}
	q, err := p.or(0)
	if err == nil && p.at < len(p.tokens) {
		err = FieldErrorf("query", "has too many closing parentheses")
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

// minBeginning is the minimum length in characters of a word that Looser uses as a prefix. Shorter
// prefixes match too many words.
const minBeginning = 3

// Looser returns the queries to try when a plain query finds nothing: first any of its words, then
// any word that begins with one of them. A query with operators has none.
func (q *GraphQuery) Looser() (list []*GraphQuery) {
	if !q.Plain {
		return nil
	}
	if len(q.Parts) > 1 {
		list = append(list, &GraphQuery{Op: GraphOr, Parts: q.Parts})
	}
	begin := &GraphQuery{Op: GraphOr}
	for _, w := range q.Parts {
		if utf8.RuneCountInString(w.Text) >= minBeginning {
			begin.Parts = append(begin.Parts, &GraphQuery{Op: GraphWords, Text: w.Text, Prefix: true})
		}
	}
	if len(begin.Parts) > 0 {
		list = append(list, begin)
	}
	return list
}

func plainWords(text string) (*GraphQuery, error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return !graphRune(r) })
	q := &GraphQuery{Op: GraphAnd, Plain: true}
	for _, w := range Unique(words) {
		q.Parts = append(q.Parts, &GraphQuery{Op: GraphWords, Text: w})
	}
	if len(q.Parts) == 0 {
		return nil, FieldErrorf("query", "must contain a word to search for")
	}
	if len(q.Parts) > MaxTerms {
		return nil, FieldErrorf("query", "has more than %d words", MaxTerms)
	}
	return q, nil
}

func graphRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

type graphToken struct {
	kind   string // word, AND, OR, NOT, ( or )
	text   string
	prefix bool
}

func graphTokens(text string) (list []graphToken, operators bool, err error) {
	rest := strings.TrimSpace(text)
	for rest != "" {
		var t graphToken
		switch {
		case rest[0] == '(' || rest[0] == ')':
			t.kind, rest = rest[:1], rest[1:]
		case rest[0] == '"':
			if t, rest, err = phrase(rest); err != nil {
				return nil, true, err
			}
		default:
			end := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == ')' || r == '"' })
			if end < 0 {
				end = len(rest)
			}
			t, rest = bareWord(rest[:end]), rest[end:]
			if t.text == "NEAR" && strings.HasPrefix(strings.TrimSpace(rest), "(") {
				return nil, true, FieldErrorf("query", `has NEAR(…), which Loci does not support; use AND, or "a phrase"`)
			}
		}
		operators = operators || t.kind != "word" || t.prefix || strings.HasPrefix(t.text, `"`)
		t.text = strings.TrimPrefix(t.text, `"`)
		list = append(list, t)
		rest = strings.TrimSpace(rest)
	}
	return list, operators, nil
}

// phrase reads a quoted phrase. The token's text keeps the opening quote as a mark.
func phrase(s string) (t graphToken, rest string, err error) {
	inside, rest, closed := strings.Cut(s[1:], `"`)
	if !closed {
		return t, "", FieldErrorf("query", "has an unclosed quotation mark")
	}
	if strings.IndexFunc(inside, graphRune) < 0 {
		return t, "", FieldErrorf("query", "has a phrase without a word")
	}
	if after, star := strings.CutPrefix(rest, "*"); star {
		return graphToken{kind: "word", text: `"` + inside, prefix: true}, after, nil
	}
	return graphToken{kind: "word", text: `"` + inside}, rest, nil
}

func bareWord(s string) graphToken {
	switch s {
	case "AND", "OR", "NOT":
		return graphToken{kind: s}
	}
	if word, star := strings.CutSuffix(s, "*"); star && strings.IndexFunc(word, graphRune) >= 0 {
		return graphToken{kind: "word", text: word, prefix: true}
	}
	return graphToken{kind: "word", text: s}
}

type graphParser struct {
	tokens []graphToken
	at     int
}

func (p *graphParser) next(kind string) bool {
	if p.at < len(p.tokens) && p.tokens[p.at].kind == kind {
		p.at++
		return true
	}
	return false
}

// or parses OR, which binds weakest. AND (also implied between two parts) binds stronger, and NOT strongest.
func (p *graphParser) or(depth int) (*GraphQuery, error) {
	if depth > MaxTerms {
		return nil, FieldErrorf("query", "is nested too deep")
	}
	return p.chain(GraphOr, func() bool { return p.next("OR") }, func() (*GraphQuery, error) {
		return p.chain(GraphAnd, p.nextAnd, func() (*GraphQuery, error) {
			return p.chain(GraphNot, func() bool { return p.next("NOT") }, func() (*GraphQuery, error) { return p.leaf(depth) })
		})
	})
}

func (p *graphParser) nextAnd() bool {
	if p.next("AND") {
		return true
	}
	return p.at < len(p.tokens) && (p.tokens[p.at].kind == "word" || p.tokens[p.at].kind == "(")
}

func (p *graphParser) chain(op GraphOp, more func() bool, part func() (*GraphQuery, error)) (*GraphQuery, error) {
	left, err := part()
	for err == nil && more() {
		var right *GraphQuery
		if right, err = part(); err == nil {
			left = &GraphQuery{Op: op, Parts: []*GraphQuery{left, right}}
		}
	}
	return left, err
}

func (p *graphParser) leaf(depth int) (*GraphQuery, error) {
	if p.next("(") {
		q, err := p.or(depth + 1)
		if err == nil && !p.next(")") {
			err = FieldErrorf("query", "has an unclosed parenthesis")
		}
		return q, err
	}
	if p.at >= len(p.tokens) {
		return nil, FieldErrorf("query", "ends where a word is expected")
	}
	t := p.tokens[p.at]
	switch {
	case t.kind == ")":
		return nil, FieldErrorf("query", "has a closing parenthesis where a word is expected")
	case t.kind != "word":
		return nil, FieldErrorf("query", "has %[1]s where a word is expected; write %[1]s between two words: a %[1]s b",
			t.kind)
	case strings.IndexFunc(t.text, graphRune) < 0:
		return nil, FieldErrorf("query", "has a word without a letter or digit; put phrases in quotation marks")
	}
	p.at++
	return &GraphQuery{Op: GraphWords, Text: t.text, Prefix: t.prefix}, nil
}
