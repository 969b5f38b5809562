package rest

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/golden"
)

var goldenRoutes = table{"golden", []served{
	serve("POST /golden", route{ID: "createGoldenQuestion", Atomic: true, Who: forPeople, Action: golden.Change,
		Status:  http.StatusCreated,
		Summary: "Create a golden question",
		Text: "A question, and the memories that a search must find for it. Only you see it. 409 if you have " +
			loci.Thousands(loci.MaxGoldenQuestions) + " golden questions.",
		In: exampleNewGolden, Out: exampleGolden}, (*server).createGolden),
	serve("GET /golden", route{ID: "listGoldenQuestions", Who: forPeople, Action: golden.Read,
		Summary: "List your golden questions",
		Text:    "All of them, first created first.",
		Out:     exampleGoldenList}, (*server).goldenQuestions),
	serve("PATCH /golden/{id}", route{ID: "updateGoldenQuestion", Who: forPeople, Action: golden.Change,
		Summary: "Change fields of a golden question",
		Text: "expected replaces the whole list. Memories that it had already may be gone; new ones must be memories " +
			"that you can see.",
		In: exampleGoldenChange, Out: exampleGolden}, (*server).updateGolden),
	serve("DELETE /golden/{id}", route{ID: "deleteGoldenQuestion", Who: forPeople, Action: golden.Change,
		Summary: "Delete a golden question permanently",
		Text:    "The runs keep their figures."}, (*server).deleteGolden),
	serve("POST /golden/run", route{ID: "runGoldenQuestions", Who: forPeople, Action: golden.Run,
		Limit: computing, Status: http.StatusCreated,
		Summary: "Ask your golden questions",
		Text: "Searches for each of them as a recall of memories does, one after the other, and stores how much of what " +
			"you expect was found. A memory that you cannot see counts as not found. Loci keeps the last " +
			loci.Thousands(loci.MaxGoldenRuns) + " runs. 409 if there is no golden question.",
		Out: exampleGoldenRun}, (*server).runGolden),
	serve("GET /golden/runs", route{ID: "listGoldenRuns", Who: forPeople, Action: golden.Read,
		Summary: "List the runs of your golden questions",
		Text:    "Newest first.",
		Out:     exampleGoldenRuns}, (*server).goldenRuns),
}}

const noGolden missing = "golden question"

// GoldenPath is a golden question in a path, exported as AgentPath is.
type GoldenPath struct {
	ID string `path:"id" doc:"Id of the golden question" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (g GoldenPath) golden() loci.GoldenID { return idOf[loci.GoldenID](g.ID) }

func (s *server) createGolden(ctx context.Context, p loci.Principal, in *body[client.NewGoldenQuestion]) (
	*answer[loci.GoldenQuestion], error) {
	return say(s.app.Golden.Create(ctx, p, in.Body))
}

func (s *server) goldenQuestions(ctx context.Context, p loci.Principal, _ *struct{}) (
	*answer[client.GoldenList], error) {
	list, err := s.app.Golden.List(ctx, p)
	return say(client.GoldenList{Questions: loci.OrEmpty(list)}, err)
}

type goldenChangeInput struct {
	GoldenPath
	Body client.GoldenChange
}

func (s *server) updateGolden(ctx context.Context, p loci.Principal, in *goldenChangeInput) (
	*answer[loci.GoldenQuestion], error) {
	return say(s.app.Golden.Update(ctx, p, in.golden(), in.Body))
}

func (s *server) deleteGolden(ctx context.Context, p loci.Principal, in *GoldenPath) (*nothing, error) {
	return done(s.app.Golden.Delete(ctx, p, in.golden()))
}

func (s *server) runGolden(ctx context.Context, p loci.Principal, _ *struct{}) (*answer[*loci.GoldenRun], error) {
	return say(s.app.Golden.Run(ctx, p))
}

func (s *server) goldenRuns(ctx context.Context, p loci.Principal, in *Page50) (
	*answer[client.GoldenRuns], error) {
	page, err := s.app.Golden.Runs(ctx, p, in.Limit, in.Cursor)
	return say(client.GoldenRuns{Runs: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

var (
	exampleNewGolden = client.NewGoldenQuestion{Question: "When do we deploy?",
		Expected: []loci.MemoryID{exampleMemory.ID}}
	exampleGolden = loci.GoldenQuestion{ID: loci.GoldenID(exampleID), Question: "When do we deploy?",
		Expected: []loci.GoldenMemory{{ID: exampleMemory.ID, Title: "Deploys"}}, CreatedAt: exampleTime,
		UpdatedAt: exampleTime}
	exampleGoldenList   = client.GoldenList{Questions: []loci.GoldenQuestion{exampleGolden}}
	exampleGoldenChange = client.GoldenChange{Question: new("On which day do we deploy?")}
	exampleGoldenRun    = &loci.GoldenRun{ID: loci.GoldenRunID(exampleID), At: exampleTime, Origin: "api",
		Meaning: "ready", Model: "static:potion-base-8M@0b5b8b7d2a3c4d5e", Questions: 1, R5: 1, R10: 1, MRR: 0.5,
		Places: []loci.GoldenPlace{{ID: loci.GoldenID(exampleID), Rank: 2}}}
	exampleGoldenRuns = client.GoldenRuns{Runs: []*loci.GoldenRun{exampleGoldenRun}}
)
