package index

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func drawExpression(t *rapid.T, depth int) *Expression {
	e := &Expression{Op: Op(rapid.IntRange(0, int(Not)).Draw(t, "op"))}
	if depth == 0 || e.Op == One {
		return &Expression{Term: drawTerm(t)}
	}
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		e.Parts = append(e.Parts, drawExpression(t, depth-1))
	}
	return e
}

// holds is the definition of an Expression.
func (e *Expression) holds(r *Row) bool {
	part := func(p *Expression) bool { return p.holds(r) }
	switch e.Op {
	case And:
		return !slices.ContainsFunc(e.Parts, func(p *Expression) bool { return !p.holds(r) })
	case Or:
		return slices.ContainsFunc(e.Parts, part)
	case Not:
		return e.Parts[0].holds(r) && !slices.ContainsFunc(e.Parts[1:], part)
	}
	if strings.HasPrefix(e.Term.Form, nameMark) {
		return slices.Contains(r.Keys, e.Term.Form)
	}
	if e.Term.First && len(r.Keys) > 0 {
		r = &Row{Fields: r.Fields[:1]}
	}
	n, _, _ := count(r, e.Term)
	return n > 0
}

// among returns the ids of only, or of all rows if that is nil, for which e holds.
func (e *Expression) among(rows []Row, only [][16]byte) [][16]byte {
	ids := [][16]byte{}
	for i := range rows {
		if e.holds(&rows[i]) && (only == nil || slices.Contains(only, rows[i].ID)) {
			ids = append(ids, rows[i].ID)
		}
	}
	return ids
}

// drawKeys gives rows keys, and returns an expression with keys and terms of the first field.
func drawKeys(t *rapid.T, rows []Row) *Expression {
	keys := []string{Key("tag", "a"), Key("tag", "b"), Key("type", "a")}
	for i := range rows {
		rows[i].Keys = rapid.SliceOfDistinct(rapid.SampledFrom(keys), rapid.ID).Draw(t, "keys")
	}
	e := &Expression{Op: And, Parts: []*Expression{{Term: drawTerm(t)}}}
	for _, key := range rapid.SliceOfN(rapid.SampledFrom(keys), 0, 2).Draw(t, "asked for") {
		e.Parts = append(e.Parts, &Expression{Term: Term{Form: key}})
	}
	e.Parts[0].Term.First = true
	if rapid.Bool().Draw(t, "two") {
		e.Parts = append(e.Parts, &Expression{Term: drawTerm(t)})
		e.Parts[len(e.Parts)-1].Term.First = rapid.Bool().Draw(t, "first")
	}
	return e
}

// An expression limits hits as a list of the rows does for which it holds.
func TestWhereLimitsHits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rows, q := drawRows(rt), drawQuery(rt)
		q.Only, q.Where = drawOnly(rt, rows), drawExpression(rt, 2)
		views := build(t, rows, rapid.IntRange(1, 3).Draw(rt, "views"))
		want := *q
		want.Only, want.Where = q.Where.among(rows, q.Only), nil
		compareHits(rt, q, Search(views, q).Hits, (&model{rows, &want}).search().Hits)
	})
}

// Pages of matching rows have all visible rows for which the expression holds, in their order.
func TestMatchingIsWhatHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rows, q := drawRows(rt), drawQuery(rt)
		for i := range rows {
			rows[i].ID[15] = 1 // no id is zero
		}
		if q.Where = drawExpression(rt, 2); rapid.Bool().Draw(rt, "with keys") {
			q.Where = drawKeys(rt, rows)
		}
		views := build(t, rows, rapid.IntRange(1, 3).Draw(rt, "views"))
		page := Page{Newest: rapid.Bool().Draw(rt, "newest"), Limit: rapid.IntRange(1, 5).Draw(rt, "size")}
		var visible []Row
		for _, s := range (&model{rows, q}).visible() {
			visible = append(visible, s...)
		}
		want := q.Where.among(visible, nil)
		slices.SortFunc(want, func(x, y [16]byte) int { return bytes.Compare(x[:], y[:]) })
		if page.Newest {
			slices.Reverse(want)
		}
		got := [][16]byte{}
		for {
			ids, some := Matching(views, q, page)
			if some {
				rt.Fatal("a phrase was not looked for in all rows")
			}
			if got = append(got, ids...); len(ids) < page.Limit {
				break
			}
			page.After = ids[len(ids)-1]
		}
		if !slices.Equal(got, want) {
			rt.Errorf("got %v, want %v", got, want)
		}
	})
}
