//go:build unix

package app_test

import (
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// BenchmarkContextPack makes packs of 1,000 tokens over 100,000 memories and 10,000 events, without vectors: without a
// session, and in one that receives more and more.
func BenchmarkContextPack(b *testing.B) {
	dir := b.TempDir()
	st, err := sqlite.Open(b.Context(), sqlite.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	a := app.New(app.Options{Store: st, Now: time.Now, Events: eventsIn(eventLog(b, dir, time.Now))})
	org, _, err := a.Identity.Setup(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	p := loci.Principal{Kind: loci.KindUser, OrgID: org.ID, UserID: org.OwnerID, Origin: "api"}
	fill(b, st, p, 100_000)
	session, err := a.Agent.CreateSession(b.Context(), p, agent.SessionDraft{Title: "work"})
	if err != nil {
		b.Fatal(err)
	}
	for range 100 {
		drafts := make([]event.Draft, 100)
		for i := range drafts {
			drafts[i] = event.Draft{Session: session.ID.String(), Content: someWords(30)}
		}
		if _, err := a.Event.Append(b.Context(), p, drafts); err != nil {
			b.Fatal(err)
		}
	}
	for partial := true; partial; { // the index is built while one searches
		page, err := a.Memory.Recall(b.Context(), p, memory.SearchRequest{Query: "deploy"})
		if err != nil {
			b.Fatal(err)
		}
		partial = page.StoppedBy != "" || page.EventsPartial
	}
	b.Run("alone", func(b *testing.B) { measurePacks(b, a, p) })
	p.SessionID = session.ID
	b.Run("in a session", func(b *testing.B) { measurePacks(b, a, p) })
}

func measurePacks(b *testing.B, a *app.App, p loci.Principal) {
	var times []time.Duration
	lines := 0
	for b.Loop() {
		start := time.Now()
		got, err := a.Pack.Context(b.Context(), p, pack.Request{Goal: someWords(8)})
		if err != nil {
			b.Fatal(err)
		}
		times, lines = append(times, time.Since(start)), lines+len(got.Receipt.Included)
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(lines)/float64(len(times)), "lines/op")
}
