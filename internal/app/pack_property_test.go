package app_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
)

// packModel is what a subject has in a session, by the packs that it got.
type packModel struct {
	who    loci.Principal
	prefix string
	begun  bool
	had    map[string]int // the version of each memory
}

// packWorld are the memories, and the subjects who read them in one session.
type packWorld struct {
	*world
	rt      *rapid.T
	list    []*loci.Memory
	readers []*packModel
}

// TestContextPackStateIsThatOfAModel changes memories at random, and asks in a session as several subjects.
func TestContextPackStateIsThatOfAModel(t *testing.T) {
	t.Parallel()
	drawFewer(t, 40)
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		s := &packWorld{world: w, rt: rt}
		defer s.clear()
		in := w.session(w.owner)
		for _, p := range []loci.Principal{w.owner, w.claude, w.other} {
			p.SessionID = in.SessionID
			s.readers = append(s.readers, &packModel{who: p, had: map[string]int{}})
		}
		for range rapid.IntRange(3, 20).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "ask") || len(s.list) == 0 && rapid.Bool().Draw(rt, "empty") {
				s.ask(s.readers[rapid.IntRange(0, len(s.readers)-1).Draw(rt, "reader")])
			} else {
				s.change()
			}
		}
		for _, m := range s.readers {
			s.askForAll(m)
		}
	})
}

// clear leaves nothing that the next round could find.
func (s *packWorld) clear() {
	for _, m := range s.list {
		_, _ = s.Memory.Trash(s.t.Context(), s.local, m.ID, 0)
	}
}

// change saves, edits, pins, narrows or trashes a memory.
func (s *packWorld) change() {
	word := rapid.SampledFrom([]string{"flies ", "日本語 ", "eats fish "}).Draw(s.rt, "word")
	text := fmt.Sprint("heron ", strings.Repeat(word, rapid.IntRange(1, 40).Draw(s.rt, "words")), loci.NewMemoryID())
	what := rapid.SampledFrom([]string{"save", "save", "edit", "pin", "narrow", "trash"}).Draw(s.rt, "change")
	if what == "save" || len(s.list) == 0 {
		made, err := s.Memory.Create(s.t.Context(), s.owner, memory.Draft{Title: loci.Shorten(text, 60), Content: text,
			Pinned: new(rapid.IntRange(0, 3).Draw(s.rt, "pinned") == 0)})
		s.stop(err)
		s.list = append(s.list, &made.Memory)
		return
	}
	i := rapid.IntRange(0, len(s.list)-1).Draw(s.rt, "which")
	patch := memory.Patch{}
	switch what {
	case "edit":
		patch.Content = loci.Set(text)
	case "pin":
		patch.Pinned = loci.Set(!s.list[i].Pinned)
	case "narrow":
		patch.AllowedVendors = loci.Set(onlyClaude)
	case "trash":
		_, err := s.Memory.Trash(s.t.Context(), s.local, s.list[i].ID, 0)
		s.stop(err)
		s.list = append(s.list[:i:i], s.list[i+1:]...)
		return
	}
	got, err := s.Memory.Patch(s.t.Context(), s.owner, s.list[i].ID, 0, patch)
	s.stop(err)
	s.list[i] = got
}

func (s *packWorld) stop(err error) {
	if err != nil {
		s.rt.Fatal(err)
	}
}

func (s *packWorld) draw() pack.Request {
	return pack.Request{Goal: "heron", MaxTokens: rapid.IntRange(pack.MinTokens, 3000).Draw(s.rt, "tokens"),
		Limit: rapid.IntRange(1, pack.MaxLines).Draw(s.rt, "limit"), Fresh: rapid.IntRange(0, 9).Draw(s.rt, "fresh") == 0}
}

// versions are those of the memories that a reader sees.
func (s *packWorld) versions(who loci.Principal) map[string]int {
	out := map[string]int{}
	for _, m := range s.list {
		if who.Vendor == "" || m.AllowedVendors[0] == loci.AnyVendor || m.AllowedVendors[0] == who.Vendor {
			out[m.ID.String()] = m.Version
		}
	}
	return out
}

// ask asks as a reader, first without the session and then in it, and compares the answers with the model.
func (s *packWorld) ask(m *packModel) *loci.ContextPack {
	r := s.draw()
	alone := m.who
	alone.SessionID = loci.SessionID{}
	once, err := s.Pack.Context(s.t.Context(), alone, r)
	s.stop(err)
	twice, err := s.Pack.Context(s.t.Context(), alone, r)
	s.stop(err)
	if once.Context != twice.Context {
		s.rt.Fatalf("the same request has two answers:\n%s\n%s", once.Context, twice.Context)
	}
	return s.in(m, r)
}

func (s *packWorld) in(m *packModel, r pack.Request) *loci.ContextPack {
	got, err := s.Pack.Context(s.t.Context(), m.who, r)
	s.stop(err)
	if got.Tokens > r.MaxTokens || got.Tokens != loci.TokenBound(got.Context) {
		s.rt.Fatalf("%d of %d tokens", got.Tokens, r.MaxTokens)
	}
	prefix := got.Context[:got.PrefixBytes]
	if m.begun && !r.Fresh && !got.PrefixChanged && prefix != m.prefix {
		s.rt.Fatalf("the prefix changed:\n%s\n%s", m.prefix, prefix)
	}
	if r.Fresh {
		m.had = map[string]int{}
	}
	if got.PrefixChanged { // what was in the old prefix counts as not received
		maps.DeleteFunc(m.had, func(id string, _ int) bool { return cites(m.prefix, id) })
	}
	s.stop(s.isNew(m, got, prefix))
	m.prefix, m.begun = prefix, true
	return got
}

// isNew checks that a pack has only what the reader sees and has not received, and takes it into the model.
func (s *packWorld) isNew(m *packModel, got *loci.ContextPack, prefix string) error {
	now := s.versions(m.who)
	before := maps.Clone(m.had)
	for _, l := range got.Receipt.Included {
		version, sees := now[l.ID]
		inPrefix := cites(prefix, l.ID)
		had, known := before[l.ID]
		switch {
		case !sees:
			return errors.New("it has " + l.ID + ", which the reader does not see")
		case !inPrefix && known && had == version:
			return errors.New("it has " + l.ID + " again")
		case !inPrefix && known != (l.Reason == "updated"):
			// A pinned line that was in a prefix comes again as such.
			if !got.PrefixChanged {
				return fmt.Errorf("%s came as %s, known %t", l.ID, l.Reason, known)
			}
		}
		m.had[l.ID] = version
	}
	for _, l := range got.Receipt.LeftOut {
		if _, sees := now[l.ID]; !sees {
			return errors.New("the receipt has " + l.ID + ", which the reader does not see")
		}
		if had, known := before[l.ID]; l.Reason == "already_sent" && (!known || had != now[l.ID]) {
			return errors.New(l.ID + " is not there yet")
		}
	}
	return nil
}

func cites(text, id string) bool { return strings.Contains(text, "["+id[:loci.ShortID]+"]") }

// askForAll asks with much room until nothing is new. Then the reader must have everything.
func (s *packWorld) askForAll(m *packModel) {
	for range 10 {
		got := s.in(m, pack.Request{Goal: "heron", MaxTokens: pack.MaxTokens, Limit: pack.MaxLines})
		if len(got.Context) == got.PrefixBytes+len("</memories>\n") || strings.Contains(got.Context, "(nothing new") {
			break
		}
	}
	for id, version := range s.versions(m.who) {
		if m.had[id] != version {
			s.rt.Fatalf("%s has version %d of %s, want %d", m.who.Origin, m.had[id], id, version)
		}
	}
}
