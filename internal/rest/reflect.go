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
