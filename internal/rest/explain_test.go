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
