package rest_test

import (
	"math"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// TestExplain asks, in each way, what the score of a hit consists of, and when the question was asked.
func TestExplain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"Boiler","content":"The boiler leaks."}`)
	s.write(t, owner, `{"title":"Lunch","content":"Soup in the canteen."}`)
	next := m.CreatedAt.AddDate(0, 0, 1).Format(time.RFC3339)
	for _, tt := range []struct {
		name, request string
		explained     bool
		date          bool
	}{
		{"recall", `POST /memories/recall {"query":"boiler yesterday","explain":true,"asked_at":"` + next + `"}`, true, true},
		{"recall now", `POST /memories/recall {"query":"boiler yesterday","explain":true}`, true, false},
		{"recall without", `POST /memories/recall {"query":"boiler yesterday","asked_at":"` + next + `"}`, false, false},
		{"recall by query", "GET /memories/recall?query=boiler+yesterday&explain=true&asked_at=" + url.QueryEscape(next),
			true, true},
		{"search", `POST /agent/memories/search {"term":"boiler yesterday","explain":true,"asked_at":"` + next + `"}`,
			true, true},
		{"search without", `POST /agent/memories/search {"term":"boiler yesterday"}`, false, false},
	} {
		var got struct {
			Memories []loci.Recalled
			Hits     []client.Hit
		}
		decode(t, s.request(owner, tt.request), &got)
		if len(got.Memories) != 1 || got.Memories[0].ID != m.ID {
			t.Errorf("%s: got %+v", tt.name, got)
			continue
		}
		score, why := got.Memories[0].Score, got.Memories[0].Why
		if len(got.Hits) > 0 {
			score, why = got.Hits[0].Score, got.Hits[0].Why
		}
		if (why.Signals != nil) != tt.explained {
			t.Errorf("%s: signals %+v", tt.name, why.Signals)
		}
		if why.Signals == nil {
			continue
		}
		sum := 0.0
		for _, p := range why.Signals.Parts() {
			sum += p.Score
		}
		if math.Abs(sum-score) > 1e-9 || why.Signals.Row == 0 || (why.Signals.Date > 0) != tt.date {
			t.Errorf("%s: score %v, signals %+v", tt.name, score, why.Signals)
		}
	}
	if w := s.request(owner, `POST /memories/recall {"query":"boiler","asked_at":"soon"}`); w.Code != 400 {
		t.Errorf("a time in words: got %d %s, want 400", w.Code, w.Body)
	}
}

// TestDaysAreThoseOfTheAsker asks about a memory of an afternoon, which is the night of the next day in Japan.
func TestDaysAreThoseOfTheAsker(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"Boiler","content":"The boiler leaks."}`)
	if at := m.CreatedAt.UTC().Format("2006-01-02 15"); at != "2026-11-20 16" {
		t.Fatalf("written at %s", at)
	}
	for asked, want := range map[string]bool{"2026-11-22T09:00:00+09:00": true, "2026-11-22T00:00:00Z": false,
		"2026-11-21T23:00:00+09:00": false, "2026-11-21T14:00:00Z": true} {
		for _, request := range []string{
			`POST /memories/recall {"query":"boiler yesterday","explain":true,"asked_at":"` + asked + `"}`,
			"GET /memories/recall?query=boiler+yesterday&explain=true&asked_at=" + url.QueryEscape(asked),
			`POST /agent/memories/search {"term":"boiler yesterday","explain":true,"asked_at":"` + asked + `"}`,
		} {
			var got struct {
				Memories []loci.Recalled
				Hits     []client.Hit
			}
			decode(t, s.expect(t, 200, owner, request), &got)
			if len(got.Hits) > 0 {
				got.Memories = append(got.Memories, loci.Recalled{Why: got.Hits[0].Why})
			}
			if why := got.Memories[len(got.Memories)-1].Why; why.Signals == nil || (why.Signals.Date > 0) != want {
				t.Errorf("%s: signals %+v, want a date: %v", request, why.Signals, want)
			}
		}
	}
}

// TestSearchTellsSimilarWords searches for a misspelled word beside one that is spelled well.
func TestSearchTellsSimilarWords(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.write(t, owner, `{"title":"Window","content":"Production Maintenance, maintenance of staging"}`)
	for query, want := range map[string][]string{"maintanance": {"Maintenance"}, "maintenance": nil, "production": nil} {
		var got struct{ Memories []loci.Recalled }
		decode(t, s.request(owner, `POST /memories/recall {"query":"staging `+query+`"}`), &got)
		if len(got.Memories) != 1 {
			t.Fatalf("%s: %+v", query, got)
		}
		for _, term := range got.Memories[0].Why.Terms {
			if term.Term == query && !slices.Equal(term.Similar, want) || term.Term == "staging" && term.Similar != nil {
				t.Errorf("%s: %+v", query, term)
			}
		}
	}
}

// TestReplacedMemoriesRankLast searches for a memory and the one that replaced it.
func TestReplacedMemoriesRankLast(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	old := s.write(t, owner, `{"title":"Ferret","content":"lives in Bonn"}`)
	by := s.write(t, owner, `{"title":"Ferret","content":"lives in Rome","supersedes":["`+old.ID.String()+`"]}`)
	var got struct{ Memories []loci.Recalled }
	decode(t, s.request(owner, `POST /memories/recall {"query":"ferret","include_superseded":true}`), &got)
	if len(got.Memories) != 2 || got.Memories[0].ID != by.ID || got.Memories[1].SupersededBy != by.ID ||
		!slices.Equal(got.Memories[0].Why.Boosts, []string{"current"}) || len(got.Memories[1].Why.Boosts) > 0 {
		t.Errorf("got %+v", got.Memories)
	}
}
