package recall

import (
	"strings"
	"unicode"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
)

// ReadGraph reads a search of a graph in the syntax of FTS5: words (all must occur), AND, OR, NOT, "phrases", prefix*
// and parentheses. These operators hold for each text: for a name with its type, or for an observation. A text without
// operators is plain words, whatever punctuation it contains. ReadGraph returns what to ask an index, one question
// after the other until one finds something. If a query is wrong, an Invalid error states why.
func (a Ask) ReadGraph() ([]*Question, error) {
	if err := loci.CheckText("query", a.Text, 1, loci.MaxTerm); err != nil {
		return nil, err
	}
	tokens, operators, err := graphTokens(a.Text)
	if err != nil {
		return nil, err
	}
	if !operators {
		question := a.Read()
		return []*Question{question, question.AsPrefixes(), question.AsParts()}, checkPlain(a.Text)
	}
	words := make([]string, 0, len(tokens))
	prefixes := 0
	for _, t := range tokens {
		if t.kind == "word" {
			words = append(words, t.question())
		}
		if t.prefix {
			prefixes++
		}
	}
	if prefixes > MaxPrefixes {
		return nil, loci.FieldErrorf("query", "has %d words with a *; use at most %d", prefixes, MaxPrefixes)
	}
	if len(words) > loci.MaxTerms {
		return nil, loci.FieldErrorf("query", "has more than %d words", loci.MaxTerms)
	}
	a.Text = strings.Join(words, " ")
	p := graphParser{tokens: tokens, question: a.Read()}
	where, err := p.or(0)
	if err == nil && p.at < len(p.tokens) {
		err = loci.FieldErrorf("query", "has too many closing parentheses")
	}
	p.question.ask.Where, p.question.fixed = where, p.terms
	return []*Question{p.question}, err
}

func checkPlain(text string) error {
	words := strings.FieldsFunc(text, func(r rune) bool { return !graphRune(r) })
	switch n := len(loci.Unique(words)); {
	case n == 0:
		return loci.FieldErrorf("query", "must contain a word to search for")
	case n > loci.MaxTerms:
		return loci.FieldErrorf("query", "has more than %d words", loci.MaxTerms)
	}
	return nil
}

func graphRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

type graphToken struct {
	kind   string // word, AND, OR, NOT, ( or )
	text   string
	prefix bool
	quoted bool
}

// question returns the token as Ask.Read reads it.
func (t graphToken) question() string {
	switch {
	case t.quoted:
		return `"` + t.text + `"`
	case t.prefix:
		return t.text + "*"
	}
	return t.text
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
				return nil, true, loci.FieldErrorf("query", `has NEAR(…), which Loci does not support; use AND, or "a phrase"`)
			}
		}
		operators = operators || t.kind != "word" || t.prefix || t.quoted
		list = append(list, t)
		rest = strings.TrimSpace(rest)
	}
	return list, operators, nil
}

// phrase reads a quoted phrase.
func phrase(s string) (t graphToken, rest string, err error) {
	inside, rest, closed := strings.Cut(s[1:], `"`)
	if !closed {
		return t, "", loci.FieldErrorf("query", "has an unclosed quotation mark")
	}
	if strings.IndexFunc(inside, graphRune) < 0 {
		return t, "", loci.FieldErrorf("query", "has a phrase without a word")
	}
	after, star := strings.CutPrefix(rest, "*")
	return graphToken{kind: "word", text: inside, prefix: star, quoted: true}, after, nil
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
	tokens   []graphToken
	at       int
	question *Question // of all words
	terms    []term
}

func (p *graphParser) next(kind string) bool {
	if p.at < len(p.tokens) && p.tokens[p.at].kind == kind {
		p.at++
		return true
	}
	return false
}

// or parses OR, which binds weakest. AND (also implied between two parts) binds stronger, and NOT strongest.
func (p *graphParser) or(depth int) (*index.Expression, error) {
	if depth > loci.MaxTerms {
		return nil, loci.FieldErrorf("query", "is nested too deep")
	}
	return p.chain(index.Or, func() bool { return p.next("OR") }, func() (*index.Expression, error) {
		return p.chain(index.And, p.nextAnd, func() (*index.Expression, error) {
			return p.chain(index.Not, func() bool { return p.next("NOT") }, func() (*index.Expression, error) {
				return p.leaf(depth)
			})
		})
	})
}

func (p *graphParser) nextAnd() bool {
	if p.next("AND") {
		return true
	}
	return p.at < len(p.tokens) && (p.tokens[p.at].kind == "word" || p.tokens[p.at].kind == "(")
}

func (p *graphParser) chain(op index.Op, more func() bool, part func() (*index.Expression, error)) (
	*index.Expression, error) {
	left, err := part()
	for err == nil && more() {
		var right *index.Expression
		if right, err = part(); err == nil {
			left = &index.Expression{Op: op, Parts: []*index.Expression{left, right}}
		}
	}
	return left, err
}

func (p *graphParser) leaf(depth int) (*index.Expression, error) {
	if p.next("(") {
		q, err := p.or(depth + 1)
		if err == nil && !p.next(")") {
			err = loci.FieldErrorf("query", "has an unclosed parenthesis")
		}
		return q, err
	}
	if p.at >= len(p.tokens) {
		return nil, loci.FieldErrorf("query", "ends where a word is expected")
	}
	t := p.tokens[p.at]
	switch {
	case t.kind == ")":
		return nil, loci.FieldErrorf("query", "has a closing parenthesis where a word is expected")
	case t.kind != "word":
		return nil, loci.FieldErrorf("query", "has %[1]s where a word is expected; write %[1]s between two words: a %[1]s b",
			t.kind)
	case strings.IndexFunc(t.text, graphRune) < 0:
		return nil, loci.FieldErrorf("query", "has a word without a letter or digit; put phrases in quotation marks")
	}
	p.at++
	return p.words(t), nil
}

func (p *graphParser) words(t graphToken) *index.Expression {
	e := p.question.Phrase(t.text, t.prefix)
	if e == nil {
		return &index.Expression{Op: index.Or} // it has no word, so it holds for nothing
	}
	// What must not occur is a term, too, but ranks nothing that is found.
	switch n := len(e.Term.Phrase); { // Phrase reads a short prefix as a word
	case t.prefix && n > 0:
		e.Term.Phrase[n-1].Prefix = true
	case t.prefix:
		e.Term = index.Term{Form: e.Term.Form, Prefix: true}
	}
	p.terms = append(p.terms, term{Term: e.Term, text: t.text})
	return e
}
