package main

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/reviewtest"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// propose VENDOR FILE stores the candidates that a vendor's assistant proposes, for a decision: each line of
// the file is "kind: text". What the real extractor finds does not matter for the tests of decisions.
func propose(ts *testscript.TestScript, _ bool, args []string) {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: ts.Getenv("DATA")})
	ts.Check(err)
	defer st.Close()
	who, err := auth.New(auth.Options{Store: st})
	ts.Check(err)
	p, err := who.Local(ctx, loci.Vendor(args[0]))
	ts.Check(err)
	services := app.New(app.Options{Store: st, Extractor: reviewtest.ByLine{}})
	r, err := services.Review.Reflect(ctx, p, review.Notes{Content: ts.ReadFile(args[1]), SourceTitle: args[1],
		Persist: true, PersistSource: true, PersistReview: true, Limit: loci.MaxCandidates})
	ts.Check(err)
	if r.PersistedCount == 0 {
		ts.Fatalf("no line of %s is a candidate", args[1])
	}
}
