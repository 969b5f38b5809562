package index

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci/internal/index/packing"
)

// segmentOf builds a segment of rows with these numbers, in three classes.
func segmentOf(tb rapid.TB, numbers ...int) *Segment {
	b := NewBuilder()
	for _, i := range numbers {
		b.Add(Row{ID: numberedID(i), Class: Class(fmt.Sprint(i % 3)), Time: time.Unix(int64(i), 0),
			Fields: []Field{{Text: "word"}}})
	}
	s, err := Open(b.Build())
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func numberedID(i int) (id [16]byte) {
	binary.BigEndian.PutUint64(id[:], uint64(i)*0x9e3779b97f4a7c15)
	return id
}

// TestPlacesFollowChanges compares what is brought up to date after each few changes with what is made of all rows.
func TestPlacesFollowChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		v, list := NewVectors(testDims), []*Segment{segmentOf(t, 1, 2, 3, 4, 5, 6, 7), segmentOf(t, 8, 9), segmentOf(t, 10)}
		for range rapid.IntRange(1, 8).Draw(t, "rounds") {
			for range r.IntN(6) {
				switch id := numberedID(1 + r.IntN(9)); r.IntN(5) {
				case 0:
					v.Remove(id)
				case 1:
					v.Put(id, packing.Pack(make([]float32, testDims)))
				default:
					v.Put(id, packing.Pack(unit(r, testDims)))
				}
			}
			for i, s := range list {
				got, want := v.place(s), v.placeAll(s)
				if !slices.Equal(got.counts, want.counts) ||
					got.version != want.version || len(got.chunks) != len(want.chunks) {
					t.Fatalf("segment %d: got %+v, want %+v", i, got, want)
				}
				for doc := range s.rows {
					if want.slots != nil && got.slots[doc] != want.slots[doc] {
						t.Fatalf("row %d is at %d, want %d", doc, got.slots[doc], want.slots[doc])
					}
				}
				for class, sum := range got.sums {
					for d, x := range sum {
						if other := want.sums[class]; other == nil && x != 0 || other != nil && x != other[d] {
							t.Fatalf("the sum of class %d is %v, want %v", class, sum, other)
						}
					}
				}
			}
		}
	})
}

// TestOneChangeTouchesItsClassOnly looks at what a search places again after one new vector, and at what there is of
// rows without vectors.
func TestOneChangeTouchesItsClassOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	v, s, other, without := NewVectors(testDims), segmentOf(t, 1, 2, 3, 4, 5, 6), segmentOf(t, 7), segmentOf(t, 8, 9, 10)
	for i := 1; i < 8; i++ {
		v.Put(numberedID(i), packing.Pack(unit(r, testDims)))
	}
	before, same := v.place(s), v.place(other)
	v.Put(numberedID(4), packing.Pack(unit(r, testDims)))
	after := v.place(s)
	changed, _ := s.find(numberedID(4))
	for class := range s.classes {
		if again := &before.sums[class][0] != &after.sums[class][0]; again != (class == s.class(changed)) {
			t.Errorf("class %d of 3 was added up again: %t", class, again)
		}
	}
	if now := v.place(other); &now.slots[0] != &same.slots[0] {
		t.Error("a segment without a change was placed again")
	}
	if p := v.place(without); p.slots != nil || p.sums[0] != nil {
		t.Errorf("rows without vectors take room: %+v", p)
	}
	if again := v.place(s); again != after {
		t.Error("without a change, a segment was placed again")
	}
	for i := range 3 * mostChanges { // more than are known
		v.Put(numberedID(1+i%2), packing.Pack(unit(r, testDims)))
		if last := 3*mostChanges - 3; i == last {
			v.place(s)
		}
	}
	if got, want := v.place(s), v.placeAll(s); !slices.Equal(got.slots, want.slots) ||
		!slices.Equal(got.sums[0], want.sums[0]) {
		t.Errorf("after many changes, got %v, want %v", got.slots, want.slots)
	}
}
