package loci

import (
	"bytes"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Ids sort like the times of their events, to a microsecond, and tell the time.
func TestEventIDs(t *testing.T) {
	t.Parallel()
	times := rapid.Custom(func(t *rapid.T) time.Time {
		return time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "micros")).UTC()
	})
	rapid.Check(t, func(t *rapid.T) {
		a := times.Draw(t, "a")
		b := a.Add(time.Duration(rapid.Int64Range(1, 3000).Draw(t, "later")) * time.Microsecond)
		first, second := NewEventID(a), NewEventID(b)
		if got, ok := EventTime(first); !ok || !got.Equal(a) {
			t.Fatalf("the time of %s is %s %t, want %s", first, got, ok, a)
		}
		if bytes.Compare(first[:], second[:]) >= 0 {
			t.Fatalf("%s of %s is not before %s of %s", first, a, second, b)
		}
		next := FirstEventID(b)
		if bytes.Compare(next[:], first[:]) <= 0 || bytes.Compare(next[:], second[:]) > 0 {
			t.Fatalf("the first id of %s is %s, which is not between %s and %s", b, next, first, second)
		}
		if first[6]>>4 != 7 || first[8]>>6 != 2 {
			t.Fatalf("%s is no UUID of version 7", first)
		}
	})
}

func TestEventTimeOfOtherIDs(t *testing.T) {
	t.Parallel()
	if at, ok := EventTime(NewID[Event]()); ok {
		t.Errorf("a random id has the time %s", at)
	}
}

// Equal fields make equal digests, and each field that counts makes another.
func TestDigest(t *testing.T) {
	t.Parallel()
	long := string(bytes.Repeat([]byte("ä"), DedupPrefix))
	e := Event{Type: "error", Content: long + "x", AgentID: NewAgentID()}
	same := []Event{
		{Type: "error", Content: long + "y", AgentID: e.AgentID},
		{Type: "error", Content: long, AgentID: e.AgentID, Class: EventDecision, Tags: []string{"a"}},
	}
	for i := range same {
		if same[i].Digest() != e.Digest() {
			t.Errorf("event %d has another digest", i)
		}
	}
	other := []Event{
		{Type: "error", Content: long + "x"},
		{Type: "general", Content: long + "x", AgentID: e.AgentID},
		{Type: "error", Content: "b" + long, AgentID: e.AgentID},
		{Type: "error", Content: long + "x", AgentID: e.AgentID, DedupKey: "k"},
	}
	for i := range other {
		if other[i].Digest() == e.Digest() {
			t.Errorf("event %d has the same digest", i)
		}
	}
	alone := Event{Type: "error", Content: "x", EventAccess: EventAccess{Origin: "claude", UserID: NewUserID()}}
	elsewhere, another := alone, alone
	elsewhere.Origin, another.UserID = "cursor", NewUserID()
	if d := alone.Digest(); elsewhere.Digest() == d || another.Digest() == d {
		t.Error("without an agent, events of two assistants or two people have one digest")
	}
	keyed := Event{Type: "a", Content: "b", DedupKey: "k"}
	if keyed.Digest() != other[3].Digest() {
		t.Error("two events with the writer's own key have different digests")
	}
}
