package reflection
import ("testing";"fmt")
func TestCeil(t *testing.T) {
	must, none, shared := 0,0,0
	for _, n := range fitNotes(t) {
		p := prepare(n)
		bounds := runeBounds(n.Content)
		used := map[int]int{}
		for _, e := range n.Expected {
			if !e.Must { continue }
			must++
			top, best := 0.0, -1
			for k := range p.x.units {
				if v := e.overlap(bounds[p.x.units[k].start], bounds[p.x.units[k].end]); v > top { top, best = v, k }
			}
			txt := cutRunes(n.Content, e.SpanStart, e.SpanEnd)
			if best < 0 { none++; fmt.Printf("NOUNIT %s %s %q\n", n.ID, e.Kind, txt) } else if used[best] > 0 { shared++; fmt.Printf("SHARED %s %s %q IN %q\n", n.ID, e.Kind, txt, n.Content[p.x.units[best].start:p.x.units[best].end]) }
			used[best]++
		}
	}
	fmt.Println(must, none, shared)
}
