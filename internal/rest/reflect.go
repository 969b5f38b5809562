package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/review"
)

// reflectPath is where notes are sent.
const reflectPath = "/context/reflect"

var reflectRoutes = table{"reflection", []served{
	serve("POST "+reflectPath, route{ID: "reflect", Atomic: true, Notes: true, Who: forAny, Action: review.Reflect,
		More: []gate.Action{review.Persist}, Limit: computing,
		Summary: "Extract candidates for memories from notes",
		Text: "Without persist, it writes only its audit entry. persist promotes what is new. A candidate waits for a " +
			"person if it is sensitive, contradicting, destructive or instructing, may replace or repeat a memory, or if " +
			"only a model found it. Also at /api/context/reflect. 400 for what you cannot see.",
		In: exampleNotes, Out: exampleReflected}, (*server).reflect),
	serve("GET /reflections/{id}", route{ID: "getReflection", Who: forAny, Action: review.Read,
		Summary: "Get stored notes",
		Text: "The notes from which candidates come, without the secrets and card numbers in them. redacted says where " +
			"these were.",
		Out: exampleReflection}, (*server).reflection),
}}

const noReflection missing = "reflection"

type notesInput struct {
	Body    client.NewNotes
	RawBody []byte
}

// reads reports whether the request writes nothing, so that it runs again if it is repeated.
func (in *notesInput) reads() bool { return !in.Body.Persist }

func (s *server) reflect(ctx context.Context, p loci.Principal, in *notesInput) (*answer[loci.Reflected], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	return sayAs(value[loci.Reflected])(s.app.Review.Reflect(ctx, p, review.NotesOf(in.Body)))
}

// ReflectionPath is a reflection in a path, exported as AgentPath is.
type ReflectionPath struct {
	ID string `path:"id" doc:"Id of the reflection, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (s *server) reflection(ctx context.Context, p loci.Principal, in *ReflectionPath) (*answer[loci.Reflection],
	error) {
	return sayAs(value[loci.Reflection])(s.app.Review.Source(ctx, p, idOf[loci.ReflectionID](in.ID)))
}

var (
	exampleNotes = client.NewNotes{Content: "Decided to deploy on Tuesdays, because Fridays went wrong twice.",
		SourceTitle: "Planning of the releases", Intent: loci.IntentDecide, Domain: "releases",
		AllowedVendors: []loci.Vendor{loci.AnyVendor}}
	exampleReflection = loci.Reflection{ID: loci.ReflectionID(exampleID), Title: exampleNotes.SourceTitle,
		Text: exampleNotes.Content, Intent: loci.IntentDecide, Domain: "releases", Redacted: []loci.Redacted{},
		TaskIDs: []loci.TaskID{}, EventAccess: exampleAccess, CreatedAt: exampleTime}
	exampleReflected = loci.Reflected{SourceTitle: exampleNotes.SourceTitle, Intent: loci.IntentDecide,
		Domain: new("releases"), Candidates: []loci.ReflectedCandidate{{Candidate: *exampleCandidate}}, Total: 1,
		UsageHint: "Nothing was written. Call again with persist true to keep these candidates.",
		Markdown:  "# Reflection: Planning of the releases", NotExtracted: []loci.NotExtracted{},
		Sensitive: []loci.SensitiveSpan{}, Extractor: "rules"}
)
