package client

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
)

// NewGoldenQuestion is loci.NewGoldenQuestion.
type NewGoldenQuestion = loci.NewGoldenQuestion

// GoldenChange is loci.GoldenChange.
type GoldenChange = loci.GoldenChange

// GoldenList is all golden questions of a person, oldest first.
type GoldenList struct {
	Questions []loci.GoldenQuestion `json:"questions" nullable:"false"`
}

// GoldenRuns is a list of runs of golden questions, newest first.
type GoldenRuns struct {
	Runs []*loci.GoldenRun `json:"runs" nullable:"false"`
	More
}

// CreateGoldenQuestion creates a golden question: a question, and the memories that a search must find for it.
func (c *Client) CreateGoldenQuestion(ctx context.Context, q NewGoldenQuestion) (*loci.GoldenQuestion, error) {
	return send[loci.GoldenQuestion](ctx, c, "/golden", q)
}

// GoldenQuestions returns the golden questions of the person.
func (c *Client) GoldenQuestions(ctx context.Context) (*GoldenList, error) {
	return get[GoldenList](ctx, c, "/golden")
}

// UpdateGoldenQuestion changes fields of a golden question.
func (c *Client) UpdateGoldenQuestion(ctx context.Context, id loci.GoldenID, change GoldenChange) (
	*loci.GoldenQuestion, error) {
	return call[loci.GoldenQuestion](ctx, c, http.MethodPatch, "/golden/"+id.String(), change)
}

// DeleteGoldenQuestion permanently deletes a golden question.
func (c *Client) DeleteGoldenQuestion(ctx context.Context, id loci.GoldenID) error {
	return c.do(ctx, http.MethodDelete, "/golden/"+id.String(), nil, nil, nil)
}

// RunGoldenQuestions asks all golden questions and stores how well the searches did.
func (c *Client) RunGoldenQuestions(ctx context.Context) (*loci.GoldenRun, error) {
	return send[loci.GoldenRun](ctx, c, "/golden/run", nil)
}

// GoldenRuns returns one page of the runs. limit is 0 for 50, and at most 500. cursor is NextCursor of the previous
// page.
func (c *Client) GoldenRuns(ctx context.Context, limit int, cursor string) (*GoldenRuns, error) {
	return get[GoldenRuns](ctx, c, query("/golden/runs", values("limit", number(limit), "cursor", cursor)))
}
