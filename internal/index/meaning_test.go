package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci/internal/index/packing"
)

const testDims = 16

// meantCase is a random collection of rows with vectors.
type meantCase struct {
	rows    []Row
	vectors map[[16]byte][]float32
	query   []float32
}

func unit(r *rand.Rand, dims int) []float32 {
	v, sum := make([]float32, dims), 0.0
	for i := range v {
		x := r.NormFloat64() + 0.3 // all vectors have something in common
		v[i], sum = float32(x), sum+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func drawMeant(t *rapid.T) meantCase {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	c := meantCase{vectors: map[[16]byte][]float32{}, query: unit(r, testDims)}
	for i := range rapid.IntRange(1, 60).Draw(t, "rows") {
		row := Row{Class: Class([]string{"a", "b", "hidden"}[r.IntN(3)]), Time: time.Unix(int64(i), 0),
			Fields: []Field{{Text: fmt.Sprint("w", r.IntN(20))}}}
		binary.BigEndian.PutUint64(row.ID[:], r.Uint64())
		if r.IntN(2) == 0 {
			row.Session = fmt.Sprint("s", r.IntN(5))
		}
		if r.IntN(5) > 0 {
			c.vectors[row.ID] = unit(r, testDims)
		}
		c.rows = append(c.rows, row)
	}
	return c
}

// search looks for the case in views of some rows each, of which some are replaced by themselves in a later view.
func (c *meantCase) search(t *rapid.T, rows []Row, ownWords bool) []Hit {
	vectors := NewVectors(testDims)
	for _, r := range c.rows {
		if v := c.vectors[r.ID]; v != nil {
			vectors.Put(r.ID, packing.Pack(v))
		}
	}
	b := NewBuilder()
	for _, r := range rows {
		b.Add(r)
	}
	s, err := Open(b.Build())
	if err != nil {
		t.Fatal(err)
	}
	q := Query{Sees: func(c Class) bool { return c != "hidden" }, Now: time.Unix(1e9, 0), Limit: 100, OwnWords: ownWords,
		Weights: Weights{Meaning: 1, Theme: 0.5}, Meaning: Meaning{Vectors: vectors, Query: c.query}}
	return Search([]*View{NewView(s)}, &q).Hits
}

// defined returns the signals of the rows as docs/recall.md defines them, with nothing but loops.
func (c *meantCase) defined() map[[16]byte]Signals {
	mean, n := make([]float64, testDims), 0.0
	for _, r := range c.rows {
		if v := c.vectors[r.ID]; v != nil && r.Class != "hidden" {
			n++
			for d, x := range v {
				mean[d] += float64(x)
			}
		}
	}
	for d := range mean {
		mean[d] /= n + centring
	}
	cosine := func(v []float32) float64 {
		xy, xx, yy := 0.0, 0.0, 0.0
		for d := range v {
			x, y := float64(v[d])-mean[d], float64(c.query[d])-mean[d]
			xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
		}
		return xy / math.Sqrt(xx*yy)
	}
	themes, counts := map[string]float64{}, map[string]float64{}
	key := func(r *Row) string {
		return string(r.Class) + r.Session + map[bool]string{true: string(r.ID[:])}[r.Session == ""]
	}
	for _, r := range c.rows {
		if v := c.vectors[r.ID]; v != nil && r.Class != "hidden" {
			themes[key(&r)] += cosine(v)
			counts[key(&r)]++
		}
	}
	out := map[[16]byte]Signals{}
	for _, r := range c.rows {
		if v := c.vectors[r.ID]; v != nil && r.Class != "hidden" {
			if m := cosine(v); m >= LeastMeaning {
				out[r.ID] = Signals{Meaning: m, Theme: max(themes[key(&r)]/counts[key(&r)], 0)}
			}
		}
	}
	return out
}

// TestMeaningIsWhatIsDefined compares a search by meaning with loops over the rows.
func TestMeaningIsWhatIsDefined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawMeant(t)
		want := c.defined()
		got := c.search(t, c.rows, rapid.Bool().Draw(t, "own words"))
		const off = 0.02 // what one byte for each dimension may change
		near := 0
		for _, s := range want {
			if s.Meaning < LeastMeaning+off {
				near++
			}
		}
		if len(got) < len(want)-near {
			t.Fatalf("found %d rows, want %d", len(got), len(want))
		}
		for i, h := range got {
			w, ok := want[h.ID]
			if !ok && h.Signals.Meaning > LeastMeaning+off {
				t.Fatalf("found %x, which is hidden or means something else: %+v", h.ID, h.Signals)
			}
			if ok && (math.Abs(w.Meaning-h.Signals.Meaning) > off || math.Abs(w.Theme-h.Signals.Theme) > off) {
				t.Errorf("%x: got %+v, want %+v", h.ID, h.Signals, w)
			}
			if i > 0 && got[i-1].compare(&h) > 0 {
				t.Errorf("hit %d comes before a better one", i-1)
			}
		}
	})
}

// TestHiddenRowsChangeNoMeaning compares the whole answer with that of an index without the hidden rows.
func TestHiddenRowsChangeNoMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawMeant(t)
		seen := slices.DeleteFunc(slices.Clone(c.rows), func(r Row) bool { return r.Class == "hidden" })
		if got, want := c.search(t, c.rows, false), c.search(t, seen, false); !slices.Equal(got, want) {
			t.Errorf("with hidden rows: %+v\nwithout: %+v", got, want)
		}
	})
}

// TestVectorsFollowTheirRows replaces and removes vectors between two searches of one view, and takes a row out.
func TestVectorsFollowTheirRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	vectors, b, ids := NewVectors(testDims), NewBuilder(), [][16]byte{{1}, {2}, {3}}
	query := unit(r, testDims)
	away := slices.Clone(query)
	for i := range away {
		away[i] = -away[i]
	}
	for i, id := range ids {
		b.Add(Row{ID: id, Class: "a", Time: time.Unix(int64(i), 0), Fields: []Field{{Text: "word"}}})
		vectors.Put(id, packing.Pack(away))
	}
	s, err := Open(b.Build())
	if err != nil {
		t.Fatal(err)
	}
	find := func(v *View) (list [][16]byte) {
		q := Query{Sees: func(Class) bool { return true }, Now: time.Unix(1e9, 0), Limit: 10,
			Weights: Weights{Meaning: 1}, Meaning: Meaning{Vectors: vectors, Query: query}}
		for _, h := range Search([]*View{v}, &q).Hits {
			list = append(list, h.ID)
		}
		slices.SortFunc(list, func(x, y [16]byte) int { return cmp.Compare(x[0], y[0]) })
		return list
	}
	view := NewView(s)
	check := func(v *View, want ...[16]byte) {
		t.Helper()
		if got := find(v); !slices.Equal(got, want) {
			t.Errorf("found %v, want %v", got, want)
		}
	}
	check(view)
	vectors.Put(ids[0], packing.Pack(query))
	vectors.Put(ids[2], packing.Pack(query))
	check(view, ids[0], ids[2])
	check(view.Without(ids[0]), ids[2])
	vectors.Remove(ids[2])
	vectors.Put(ids[1], packing.Pack(make([]float32, testDims))) // a text without a known word
	check(view, ids[0])
	if vectors.Len() != 2 || vectors.Wasted() != 4 {
		t.Errorf("got %d vectors and %d wasted, want 2 and 4", vectors.Len(), vectors.Wasted())
	}
}

// TestWithin leaves out rows that are much less similar than the best one, unless they have something else.
func TestWithin(t *testing.T) {
	t.Parallel()
	b, vectors := NewBuilder(), NewVectors(2)
	add := func(id byte, text, session string, angle float64) {
		r := Row{ID: [16]byte{id}, Class: "a", Time: time.Unix(int64(id), 0), Session: session, Fields: []Field{{Text: text}}}
		b.Add(r)
		vectors.Put(r.ID, packing.Pack([]float32{float32(math.Cos(angle)), float32(math.Sin(angle))}))
	}
	add(1, "best", "", 0.1)
	add(2, "near", "", 0.6)
	add(3, "far", "", 1.3)
	add(4, "word far", "", 1.3)
	add(5, "before far", "s", 1.3) // beside a row with the word
	add(6, "word", "s", 2)
	for i := byte(10); i < 40; i++ { // so that the mean is near 0
		add(i, "other", "", 3+float64(i)/10)
	}
	s, err := Open(b.Build())
	if err != nil {
		t.Fatal(err)
	}
	for within, want := range map[float64]string{0: "1 2 3 4 5 6", 0.3: "1 2 4 5 6", 0.01: "1 4 5 6"} {
		q := Query{Sees: func(Class) bool { return true }, Now: time.Unix(1e9, 0), Limit: 50, Terms: []Term{{Form: "word"}},
			Weights: Weights{Row: 1, Session: 1, Meaning: 1, Theme: 1},
			Meaning: Meaning{Vectors: vectors, Query: []float32{1, 0}, Within: within}}
		var got []string
		for _, h := range Search([]*View{NewView(s)}, &q).Hits {
			if h.ID[0] < 10 {
				got = append(got, fmt.Sprint(h.ID[0]))
			}
			if !h.Compared {
				t.Errorf("row %d has a vector that was not compared", h.ID[0])
			}
		}
		if slices.Sort(got); fmt.Sprint(got) != "["+want+"]" {
			t.Errorf("within %v: got %v, want %s", within, got, want)
		}
	}
}
