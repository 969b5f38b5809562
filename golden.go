package loci

import (
	"fmt"
	"time"
)

// Limits of golden questions.
const (
	MaxGoldenQuestions = 100  // of a person; a run asks all of them
	MaxGoldenExpected  = 20   // memories of one question
	MaxGoldenRuns      = 1000 // of a person; Loci forgets the oldest ones
	// GoldenDepth is how many hits of a search a run looks at.
	GoldenDepth = 20
)

// GoldenQuestion is a question of a person, with the memories that a good search finds for it. Only that person sees
// it.
type GoldenQuestion struct {
	ID          GoldenID       `json:"id" format:"uuid"`
	OrgID       OrgID          `json:"-"`
	UserID      UserID         `json:"-"`
	WorkspaceID WorkspaceID    `json:"-"`
	Question    string         `json:"question" doc:"As somebody asks it" example:"When do we deploy?"`
	Expected    []GoldenMemory `json:"expected" nullable:"false" doc:"The memories that a search must find"`
	CreatedAt   time.Time      `json:"created_at"`
	UpdatedAt   time.Time      `json:"updated_at"`
}

// GoldenMemory is a memory that a search must find.
type GoldenMemory struct {
	ID    MemoryID `json:"id" format:"uuid"`
	Title string   `json:"title,omitempty" doc:"Absent if you cannot see such a memory now" example:"Deploys"`
}

// NewGoldenQuestion is what a person writes of a golden question.
type NewGoldenQuestion struct {
	Question string     `json:"question" minLength:"1" maxLength:"500" doc:"As somebody asks it"`
	Expected []MemoryID `json:"expected" nullable:"false" minItems:"1" maxItems:"20" doc:"Ids of the memories that a search must find"`
}

// GoldenChange changes the fields of a golden question that are not nil.
type GoldenChange struct {
	Question *string    `json:"question,omitempty" minLength:"1" maxLength:"500"`
	Expected []MemoryID `json:"expected,omitempty" nullable:"false" minItems:"1" maxItems:"20" doc:"Replaces all of them"`
}

// GoldenRun is how well the searches for all golden questions of a person found what they must find. The figures are
// averages over the questions, from 0 to 1.
type GoldenRun struct {
	ID          GoldenRunID   `json:"id" format:"uuid"`
	OrgID       OrgID         `json:"-"`
	UserID      UserID        `json:"-"`
	WorkspaceID WorkspaceID   `json:"-"`
	At          time.Time     `json:"at"`
	Origin      string        `json:"origin" doc:"Who ran it: cli, dashboard or api" example:"dashboard"`
	Meaning     string        `json:"meaning,omitempty" enum:"ready,partial,building,unavailable" doc:"As of a recall: whether a model of embeddings took part. Absent: there is none"`
	Model       string        `json:"model,omitempty" doc:"The model of embeddings at that time. Absent: there was none, or the run is older than this field" example:"static:potion-base-8M@0b5b8b7d2a3c4d5e"`
	Questions   int           `json:"questions"`
	R1          float64       `json:"r1" doc:"Which part of the expected memories was the first hit"`
	R5          float64       `json:"r5" doc:"Which part was among the first 5"`
	R10         float64       `json:"r10" doc:"Which part was among the first 10"`
	MRR         float64       `json:"mrr" doc:"1 divided by the rank of the first expected memory"`
	Spent       int           `json:"spent,omitempty" doc:"How many searches ran out of time, so that they may lack memories"`
	Places      []GoldenPlace `json:"places" nullable:"false" doc:"Of each question"`
}

// GoldenPlace is where a search found what a question expects.
type GoldenPlace struct {
	ID   GoldenID `json:"id" format:"uuid" doc:"Of the question"`
	Rank int      `json:"rank" doc:"Of the first expected memory, from 1; 0: it was not among the first 20 hits"`
}

// Validate checks every limit and returns an Invalid error for the first field that breaks one. It only changes
// Expected, from which it removes duplicates.
func (q *GoldenQuestion) Validate() error {
	q.Expected = Unique(q.Expected)
	if err := CheckText("question", q.Question, 1, MaxTerm); err != nil {
		return err
	}
	switch n := len(q.Expected); {
	case n == 0:
		return FieldErrorf("expected", "is required: name the memories that a search must find")
	case n > MaxGoldenExpected:
		return FieldErrorf("expected", "has %d memories; at most %d are allowed", n, MaxGoldenExpected)
	}
	for i, m := range q.Expected {
		if m.ID.IsZero() {
			return FieldErrorf(fmt.Sprintf("expected[%d]", i), "is missing")
		}
	}
	return nil
}

// Validate returns an Invalid error for a run that Loci cannot have made.
func (r *GoldenRun) Validate() error {
	for _, x := range []struct {
		field string
		share float64
	}{{"r1", r.R1}, {"r5", r.R5}, {"r10", r.R10}, {"mrr", r.MRR}} {
		if !(x.share >= 0 && x.share <= 1) { // also NaN
			return FieldErrorf(x.field, "must be from 0 to 1")
		}
	}
	switch n := len(r.Places); {
	case n < 1 || n > MaxGoldenQuestions:
		return FieldErrorf("places", "has %d entries; it must have from 1 to %d", n, MaxGoldenQuestions)
	case r.Questions != n:
		return FieldErrorf("questions", "must be the number of places, which is %d", n)
	case r.Spent < 0 || r.Spent > n:
		return FieldErrorf("spent", RangeText, 0, n)
	}
	for i, place := range r.Places {
		if place.Rank < 0 || place.Rank > GoldenDepth {
			return FieldErrorf(fmt.Sprintf("places[%d].rank", i), RangeText, 0, GoldenDepth)
		}
	}
	return nil
}

// SeesGolden reports whether v may know that a golden question or a run exists: it is about nothing that others share,
// so only the person whose it is sees it, by a credential that is neither an assistant's nor limited to projects.
func (v Viewer) SeesGolden(org OrgID, user UserID, workspace WorkspaceID) bool {
	return v.OrgID != "" && v.OrgID == org && !v.UserID.IsZero() && v.UserID == user && v.Vendor == "" &&
		!v.OnlyProjects && (v.WorkspaceID.IsZero() || v.WorkspaceID == workspace)
}
