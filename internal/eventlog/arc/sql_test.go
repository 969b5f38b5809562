package arc

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// token is a piece of SQL as DuckDB's lexer sees it.
type token struct {
	kind byte // w: word, n: number, s: string, i: quoted name, o: operator
	text string
}

// lex is a small model of DuckDB's lexer. It fails for comments, for dollar quotes and for strings with escapes,
// which no statement of ours has.
func lex(sql string) (list []token, err error) {
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c == ' ':
			i++
		case c == '\'' || c == '"':
			text, end, ok := quotedAt(sql, i)
			if !ok {
				return nil, fmt.Errorf("a quote at %d has no end", i)
			}
			kind := byte('s')
			if c == '"' {
				kind = 'i'
			}
			if n := len(list); c == '\'' && n > 0 && list[n-1].kind == 'w' && sql[i-1] != ' ' {
				return nil, fmt.Errorf("the string at %d has a prefix", i)
			}
			list, i = append(list, token{kind, text}), end
		case isWordByte(c):
			end := i
			for end < len(sql) && isWordByte(sql[end]) {
				end++
			}
			kind := byte('w')
			if c >= '0' && c <= '9' {
				kind = 'n'
			}
			list, i = append(list, token{kind, sql[i:end]}), end
		case strings.HasPrefix(sql[i:], "--"), strings.HasPrefix(sql[i:], "/*"):
			return nil, fmt.Errorf("a comment at %d", i)
		case strings.IndexByte("()=<>,*", c) >= 0:
			list, i = append(list, token{'o', string(c)}), i+1
		default:
			return nil, fmt.Errorf("a byte %q at %d", c, i)
		}
	}
	return list, nil
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quotedAt returns the text in quotes at i, in which a doubled quote is one quote and a backslash is nothing special.
func quotedAt(sql string, i int) (text string, end int, ok bool) {
	q := sql[i]
	for end = i + 1; end < len(sql); end++ {
		if sql[end] != q {
			text += string(sql[end])
			continue
		}
		if end+1 < len(sql) && sql[end+1] == q {
			text += string(q)
			end++
			continue
		}
		return text, end + 1, true
	}
	return "", 0, false
}

// value returns the text that a literal stands for.
func value(list []token) (string, error) {
	if len(list) == 1 && list[0].kind == 's' {
		return list[0].text, nil
	}
	if len(list) == 7 && list[0].text == "decode" && list[2].text == "unhex" && list[4].kind == 's' {
		b, err := hex.DecodeString(list[4].text)
		return string(b), err
	}
	return "", fmt.Errorf("no literal: %v", list)
}

func FuzzLiteral(f *testing.F) {
	for _, s := range []string{"", "a", "it's", `\`, `\'`, "''", "' OR 1 = 1 --", "/*", "--", ";", "$$", "\x00", "ä'",
		"\xff", "read_parquet", "time >= '2020-01-01'", "0f-", "1--2", "\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sql := literal(s)
		list, err := lex(sql)
		if err != nil {
			t.Fatalf("%q: %s: %v", s, sql, err)
		}
		if got, err := value(list); err != nil || got != s {
			t.Errorf("%q: %s stands for %q, %v", s, sql, got, err)
		}
		if strings.Trim(sql, "unhxo('0123456789abcdef-)") != "" {
			t.Errorf("%q: %s has other characters", s, sql)
		}
	})
}

// words are the only ones that statements have outside of literals.
var words = strings.Fields(`SELECT FROM WHERE AND OR NOT IN ORDER BY DESC LIMIT DISTINCT AS GROUP count min max events
	first last contains decode unhex`)

// checkStatement fails unless a statement is one that we make, of the org and of the measurement, with the org in
// parentheses with nothing.
func checkStatement(t testing.TB, sql string, org loci.OrgID, measurement string) {
	t.Helper()
	list, err := lex(sql)
	if err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	from := slices.IndexFunc(list, func(x token) bool { return x.text == "FROM" })
	want := []token{{'w', "FROM"}, {'i', measurement}, {'w', "WHERE"}, {'w', "org_id"}, {'o', "="}, {'s', string(org)},
		{'w', "AND"}, {'w', "time"}, {'o', ">"}, {'o', "="}}
	if from < 0 || len(list) < from+len(want) || !slices.Equal(list[from:from+len(want)], want) {
		t.Fatalf("the org is not the first condition of %s", sql)
	}
	depth := 0
	for i, x := range list {
		switch {
		case x.text == "(" && x.kind == 'o':
			depth++
		case x.text == ")" && x.kind == 'o':
			depth--
		case x.kind == 'w' && x.text == "OR" && depth == 0:
			t.Fatalf("an OR beside the org in %s", sql)
		case x.kind == 'w' && !slices.Contains(words, x.text) &&
			!slices.ContainsFunc(columns, func(c field) bool { return string(c.name) == x.text }):
			t.Fatalf("the word %q in %s", x.text, sql)
		case x.kind == 'i' && i != from+1:
			t.Fatalf("another name in quotes in %s", sql)
		}
		if depth < 0 {
			t.Fatalf("a parenthesis too many in %s", sql)
		}
	}
	if depth != 0 || len(sql) > maxStatement {
		t.Fatalf("depth %d, %d bytes: %s", depth, len(sql), sql)
	}
}

// A deletion must not have -- even in a literal.
func TestPlainLiterals(t *testing.T) {
	for s, plain := range map[string]bool{"0123-abcdef": true, "": true, "a--b": false, "call": false, "a'b": false} {
		if got := literal(s) == "'"+s+"'"; got != plain {
			t.Errorf("%q is written as %s", s, literal(s))
		}
	}
}

func FuzzStatement(f *testing.F) {
	f.Add("a", "b", "c", true, 3)
	f.Add("' OR '1'='1", `\'; DROP TABLE x --`, "x' IN (SELECT 1) ; $$", false, 0)
	f.Fuzz(func(t *testing.T, a, b, c string, all bool, least int) {
		filter := eventlog.Filter{Types: []string{a, b}, Tags: []string{b, c}, AllTags: all, Origin: a, Actor: c,
			MinImportance: least, SessionID: loci.SessionID{1}, ParentID: loci.EventID{2}, AgentID: loci.AgentID{3},
			Classes: []loci.EventClass{loci.EventClass(a), loci.EventClass(c)}, Since: time.UnixMicro(1e15)}
		s := search{filter: filter, below: 7, scope: &scope{classes: []string{a, b}, exclude: []pair{{a, []string{b}}},
			include: []pair{{b, []string{c}}}}}
		s.base = s.conditions()
		parts, err := s.parts()
		if err != nil {
			if loci.CodeOf(err) != loci.Invalid || len(a)+len(b)+len(c) < 300 {
				t.Fatal(err)
			}
			return
		}
		for _, p := range parts {
			st, err := table{"acme", "events"}.selects(names(eventColumns), eventColumns, s.bounds(loci.EventID{}), p.where,
				limited("id DESC", 10))
			if err == nil {
				checkStatement(t, st.text, "acme", "events")
			} else if loci.CodeOf(err) != loci.Invalid {
				t.Fatal(err)
			}
		}
	})
}

func TestStatementsNeedAnOrg(t *testing.T) {
	for _, org := range []loci.OrgID{"", "a'b", "A", "a b", "-"} {
		if st, err := (table{org, "events"}).selects("id", []column{colID}, always, condition{}, "LIMIT 1"); err == nil {
			t.Errorf("org %q: %s", org, st.text)
		}
		if st, err := (table{org, "events"}).erases(always, condition{}); err == nil {
			t.Errorf("org %q: %s", org, st.text)
		}
	}
	long := anyOf(colID, make([]string, 5000))
	_, err := table{"acme", "events"}.selects("id", []column{colID}, always, long, "")
	if loci.CodeOf(err) != loci.Invalid {
		t.Errorf("a statement that is too long: %v", err)
	}
}

// eval is what a database would answer for a condition of scopes: those have only these forms.
func eval(t failing, c condition, session, class string) bool {
	t.Helper()
	list, err := lex(c.sql)
	if err != nil {
		t.Fatal(err)
	}
	e := evaluator{t, list, map[string]string{"session_id": session, "class": class}}
	got := e.or()
	if len(e.list) > 0 {
		t.Fatalf("%v is left of %s", e.list, c.sql)
	}
	return got
}

// failing is a test, or one run of a property.
type failing interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

type evaluator struct {
	failing
	list   []token
	values map[string]string
}

func (e *evaluator) take() (x token) {
	if len(e.list) > 0 {
		x, e.list = e.list[0], e.list[1:]
	}
	return x
}

func (e *evaluator) next(text string) bool {
	if len(e.list) > 0 && e.list[0].kind != 's' && e.list[0].text == text {
		e.list = e.list[1:]
		return true
	}
	return false
}

func (e *evaluator) or() bool {
	got := e.and()
	for e.next("OR") {
		got = e.and() || got
	}
	return got
}

func (e *evaluator) and() bool {
	got := e.one()
	for e.next("AND") {
		got = e.one() && got
	}
	return got
}

func (e *evaluator) one() bool {
	if e.next("NOT") {
		return !e.one()
	}
	if e.next("(") {
		got := e.or()
		e.next(")")
		return got
	}
	left := e.values[e.take().text]
	if e.next("IN") {
		e.next("(")
		found := false
		for {
			found = e.literal() == left || found
			if !e.next(",") {
				break
			}
		}
		e.next(")")
		return found
	}
	operator := e.take().text
	if e.next("=") {
		operator += "="
	}
	right := e.literal()
	switch operator {
	case "=":
		return left == right
	case ">=":
		return left >= right
	case "<":
		return left < right
	}
	e.Fatalf("operator %q", operator)
	return false
}

func (e *evaluator) literal() string {
	n := 1
	if e.list[0].kind == 'w' {
		n = 7
	}
	text, err := value(e.list[:n])
	if err != nil {
		e.Fatal(err)
	}
	e.list = e.list[n:]
	return text
}

// Whatever the limit of a statement, the parts of a scope have each visible event once, and no other.
func TestScopesAreSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		access := func(i int, reach loci.Reach) loci.EventAccess {
			return loci.EventAccess{OrgID: "acme", UserID: loci.UserID{byte(i)}, Reach: reach}
		}
		reaches := []loci.Reach{loci.ReachOrg, loci.ReachPrivate}
		draw := func(name string) loci.Reach { return rapid.SampledFrom(reaches).Draw(t, name) }
		var given eventlog.AccessTable
		classes := rapid.IntRange(0, 12).Draw(t, "classes")
		for i := range classes {
			given.Stored = append(given.Stored, access(i+1, draw("stored")))
		}
		sessions := make([]loci.SessionID, rapid.IntRange(1, 8).Draw(t, "sessions"))
		for i := range sessions {
			sessions[i] = loci.SessionID{byte(i + 1)}
			for j := range given.Stored {
				if rapid.Bool().Draw(t, "moved") {
					given.Moved = append(given.Moved, eventlog.Move{SessionID: sessions[i], From: given.Stored[j],
						To: access(j+1, draw("present"))})
				}
			}
		}
		table := newAccessTable(&given)
		viewer := loci.Viewer{OrgID: "acme", UserID: loci.UserID{byte(rapid.IntRange(1, 20).Draw(t, "viewer"))}}
		visible := table.visible(loci.SessionID{}, viewer.SeesEvent)
		limit := rapid.SampledFrom([]int{1200, 2000, 3000, 9000}).Draw(t, "limit")
		parts := visible.split(limit)
		for _, p := range parts {
			if n := len(p.condition().sql); n > limit {
				t.Fatalf("a part has %d bytes, the limit is %d", n, limit)
			}
		}
		for _, s := range append(sessions, loci.SessionID{}, loci.SessionID{0xff}) {
			for _, stored := range append(given.Stored, access(99, loci.ReachOrg)) {
				class, n := classOf(&stored), 0
				for _, p := range parts {
					if eval(t, p.condition(), idText(s), class) {
						n++
					}
				}
				now, known := table.of(s, class, "")
				want := 0
				if known && viewer.SeesEvent(&now) {
					want = 1
				}
				if n != want {
					t.Fatalf("%d parts of %d have an event of session %s and class %s, want %d", n, len(parts), s, class, want)
				}
			}
		}
	})
}

func TestManyClasses(t *testing.T) {
	var given eventlog.AccessTable
	for i := range 3000 {
		given.Stored = append(given.Stored, loci.EventAccess{OrgID: "acme", UserID: loci.UserID{byte(i), byte(i >> 8)},
			Reach: loci.ReachOrg})
	}
	for i := range 1000 {
		to := given.Stored[i]
		to.Reach = loci.ReachPrivate
		given.Moved = append(given.Moved, eventlog.Move{SessionID: loci.SessionID{byte(i), byte(i >> 8), 1},
			From: given.Stored[i], To: to})
	}
	viewer := loci.Viewer{OrgID: "acme", UserID: loci.UserID{9, 9, 9}}
	visible := newAccessTable(&given).visible(loci.SessionID{}, viewer.SeesEvent)
	s := search{scope: &visible}
	s.base = s.conditions()
	parts, err := s.parts()
	if err != nil || len(parts) > 66 {
		t.Errorf("%d statements, %v", len(parts), err)
	}
	for _, p := range parts {
		st, err := table{"acme", "events"}.selects(names(eventColumns), eventColumns, always, p.where,
			limited("id DESC", 101))
		if err != nil {
			t.Fatal(err)
		}
		checkStatement(t, st.text, "acme", "events")
	}
}

func TestClassesDiffer(t *testing.T) {
	a := loci.EventAccess{OrgID: "acme", UserID: loci.UserID{1}, Reach: loci.ReachOrg, Origin: "a",
		AllowedVendors: []loci.Vendor{"a", "b"}}
	same := a
	same.Origin, same.AllowedVendors = "b", []loci.Vendor{"b", "a", "a"}
	if classOf(&a) != classOf(&same) {
		t.Error("the origin or the order of vendors makes another class")
	}
	for name, change := range map[string]func(*loci.EventAccess){
		"org":        func(a *loci.EventAccess) { a.OrgID = "b" },
		"user":       func(a *loci.EventAccess) { a.UserID[0]++ },
		"workspace":  func(a *loci.EventAccess) { a.WorkspaceID[0]++ },
		"project":    func(a *loci.EventAccess) { a.ProjectID[0]++ },
		"reach":      func(a *loci.EventAccess) { a.Reach = loci.ReachPrivate },
		"team":       func(a *loci.EventAccess) { a.TeamID[0]++ },
		"vendors":    func(a *loci.EventAccess) { a.AllowedVendors = []loci.Vendor{"a"} },
		"no vendors": func(a *loci.EventAccess) { a.AllowedVendors = nil },
	} {
		b := a
		if change(&b); classOf(&a) == classOf(&b) {
			t.Errorf("the %s makes no other class", name)
		}
	}
}
