package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/review"
)

var dreamRoutes = table{"dream", []served{
	serve("POST /dream", route{ID: "dream", Who: forPeople, Action: review.Dream, Limit: computing, Atomic: true,
		Summary: "Run the dream-cycle of your org",
		Text: "For admins only. Makes candidates of new events and notes, and decides about " +
			"those that are certain enough. Takes at most 20 seconds. If more is true in the answer, send it again, or " +
			"wait for the night. 409 while another run is at work.",
		In: client.NewDream{DryRun: true}, Out: exampleDream}, (*server).dream),
	serve("GET /dream/runs", route{ID: "listDreamRuns", Who: forPeople, Action: review.DreamRead, Limit: watching,
		Summary: "List the runs of the dream-cycle",
		Text:    "For admins only. Last begun first. Receipts have ids and counts, and no text.",
		Out:     client.DreamList{Runs: []*loci.Dream{&exampleDream}}}, (*server).dreams),
	serve("GET /dream/runs/{id}", route{ID: "getDreamRun", Who: forPeople, Action: review.DreamRead, Limit: watching,
		Summary: "Get the receipt of a run",
		Text:    "For admins only.", Out: exampleDream}, (*server).dreamRun),
}}

const noDream missing = "run of the dream-cycle"

func (s *server) dream(ctx context.Context, p loci.Principal, in *body[client.NewDream]) (*answer[*loci.Dream], error) {
	return say(s.app.Review.Dream(ctx, p, review.DreamRequest{DryRun: in.Body.DryRun}))
}

func (s *server) dreams(ctx context.Context, p loci.Principal, in *Page50) (*answer[client.DreamList], error) {
	page, err := s.app.Review.Dreams(ctx, p, in.Limit, in.Cursor)
	return say(client.DreamList{Runs: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

// DreamPath is a run in a path, exported as AgentPath is.
type DreamPath struct {
	ID loci.DreamID `path:"id" format:"uuid" doc:"Id of the run" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (s *server) dreamRun(ctx context.Context, p loci.Principal, in *DreamPath) (*answer[*loci.Dream], error) {
	return say(s.app.Review.DreamRun(ctx, p, in.ID))
}

var exampleDream = dreamExample()

func dreamExample() loci.Dream {
	d := loci.Dream{ID: loci.DreamID(exampleID), State: loci.DreamDone, RequestedBy: loci.DreamScheduled,
		StartedAt: exampleTime, FinishedAt: exampleTime, LatencyMS: 840, Events: 120, Proposed: 9, Scanned: 9, Promoted: 4,
		Left: 5, LeftBy: map[string]int{"low_confidence": 4, "sensitive_candidate": 1}}
	d.SetDefaults()
	return d
}
