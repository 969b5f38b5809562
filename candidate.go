package loci

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// CandidateKind is what a candidate proposes to keep.
type CandidateKind string

// The kinds of candidates.
const (
	CandidateDecision  CandidateKind = "decision"  // a settled choice, a standing rule, a refusal
	CandidatePlan      CandidateKind = "plan"      // what somebody will do
	CandidateIdea      CandidateKind = "idea"      // a possibility that nobody has decided on
	CandidateClaim     CandidateKind = "claim"     // a fact, a finding, a cause, a preference
	CandidateArtifact  CandidateKind = "artifact"  // a file, a URL, a commit, a document
	CandidateProcedure CandidateKind = "procedure" // how to do something again
	CandidateSession   CandidateKind = "session"   // where the work stopped
)

// CandidateKinds returns every kind of candidate.
func CandidateKinds() []CandidateKind {
	return []CandidateKind{CandidateDecision, CandidatePlan, CandidateIdea, CandidateClaim, CandidateArtifact,
		CandidateProcedure, CandidateSession}
}

// ReviewState is what became of a candidate.
type ReviewState string

// The states of a candidate. A promoted, rejected or archived one returns to pending only by undo.
const (
	ReviewPending  ReviewState = "pending"  // it waits for a decision
	ReviewPromoted ReviewState = "promoted" // it became a memory
	ReviewRejected ReviewState = "rejected" // a person or an agent refused it
	ReviewDeferred ReviewState = "deferred" // it waits until a time
	ReviewArchived ReviewState = "archived" // it says what is known, or was merged into another one
)

// ReviewStates returns every state of a candidate.
func ReviewStates() []ReviewState {
	return []ReviewState{ReviewPending, ReviewPromoted, ReviewRejected, ReviewDeferred, ReviewArchived}
}

// Intent is the goal of the work that notes are about. It moves the kinds of candidates that the extractor prefers.
type Intent string

// The intents.
const (
	IntentBuild    Intent = "build"
	IntentPlan     Intent = "plan"
	IntentIdeate   Intent = "ideate"
	IntentResearch Intent = "research"
	IntentDebug    Intent = "debug"
	IntentDecide   Intent = "decide"
	IntentLearn    Intent = "learn"
	IntentGeneral  Intent = "general"
)

// Intents returns every intent.
func Intents() []Intent {
	return []Intent{IntentBuild, IntentPlan, IntentIdeate, IntentResearch, IntentDebug, IntentDecide, IntentLearn,
		IntentGeneral}
}

// Limits of reflections and candidates. Texts are limited in characters.
const (
	MaxNotes             = 1_000_000
	MaxCandidates        = 25 // of one reflection
	DefaultCandidates    = 12
	MaxRelatedTo         = 50
	MaxReviewReason      = 1_000
	MaxCandidateEvidence = 20
)

// DefaultSourceTitle is the title of notes whose sender gave none.
const DefaultSourceTitle = "Session reflection"

// Candidate is a memory that somebody or the dream-cycle proposes, with its evidence. Nothing of it is a memory until
// it is promoted.
type Candidate struct {
	ID         CandidateID     `json:"id" format:"uuid" doc:"It follows from the notes, so the same notes have the same ids"`
	Kind       CandidateKind   `json:"kind" enum:"decision,plan,idea,claim,artifact,procedure,session"`
	Title      string          `json:"title"`
	Content    string          `json:"content" doc:"A passage of the notes. Secrets and card numbers are redacted"`
	Reason     string          `json:"reason" doc:"Why the extractor proposes it"`
	Confidence float64         `json:"confidence" doc:"How likely a careful reader keeps it, from 0 to 1"`
	Tags       []string        `json:"tags" nullable:"false"`
	Domain     string          `json:"domain,omitempty"`
	Metadata   json.RawMessage `json:"metadata,omitempty" doc:"A JSON object: the source's title, the intent, the extractor, the cue"`
	RawSources []string        `json:"raw_source_ids" nullable:"false" doc:"The reflection sources, sessions or events that it comes from"`
	// SuggestedScope is the scope of the memory that promotion makes.
	SuggestedScope    Scope                `json:"suggested_memory_scope"`
	SuggestedScopeKey *string              `json:"suggested_scope_key" doc:"The id of the project for scope project"`
	State             ReviewState          `json:"review_state" enum:"pending,promoted,rejected,deferred,archived"`
	MemoryID          MemoryID             `json:"memory_id,omitzero" format:"uuid" doc:"The memory that it became"`
	Existing          bool                 `json:"existing,omitempty" doc:"The memory was there before the candidate was promoted"`
	GraphPending      bool                 `json:"graph_pending,omitempty" doc:"Its entity is not in the graph of the project yet. Loci tries again"`
	EntityID          EntityID             `json:"entity_id,omitzero" format:"uuid" doc:"The entity of the project's graph that promotion made"`
	Superseded        []MemoryID           `json:"superseded_ids,omitempty" doc:"The memories that promotion superseded"`
	Replaced          []TitledMemory       `json:"replaced,omitempty" doc:"In an answer: the memories that promotion superseded, with their titles"`
	Suggested         []TitledMemory       `json:"suggested,omitempty" doc:"In the answer of accept: the memories of other people for which Loci only suggests that"`
	Claims            []ClaimRecord        `json:"claim_records" nullable:"false"`
	Findings          []ReflectionFinding  `json:"reflection_findings" nullable:"false"`
	Relations         []RelationshipRecord `json:"relationship_records" nullable:"false"`
	SensitivityFlags  []string             `json:"sensitivity_flags" nullable:"false" doc:"The types of sensitive text in it, and instruction for text that reads like an order to a model"`
	Evidence          []Evidence           `json:"evidence" nullable:"false" doc:"The passages of the notes that support it"`
	Cue               string               `json:"cue,omitempty" doc:"The words by which the extractor found it"`
	// SourceID is the stored notes.
	SourceID  ReflectionID `json:"source_id,omitzero" format:"uuid"`
	SessionID SessionID    `json:"session_id,omitzero" format:"uuid" doc:"The session that it comes from"`
	// OtherSessions are those of the candidates that were merged into it.
	OtherSessions []SessionID `json:"other_session_ids,omitempty"`
	TaskIDs       []TaskID    `json:"task_ids" nullable:"false"`
	RelatedTo     []string    `json:"related_to" nullable:"false" doc:"Ids of memories and of entities of the project"`
	MergedInto    CandidateID `json:"merged_into,omitzero" format:"uuid" doc:"The candidate that took over what this one says"`
	// Merged are the candidates that were merged into this one.
	Merged      []CandidateID `json:"merged_ids,omitempty"`
	Review      *Review       `json:"review,omitempty" doc:"The last decision"`
	DeferredTo  time.Time     `json:"deferred_to,omitzero" doc:"When a deferred candidate is pending again"`
	Exceptions  []string      `json:"exceptions,omitempty" doc:"Why the dream-cycle leaves it to a person"`
	Attempts    int           `json:"attempts,omitempty" doc:"How often the dream-cycle has left it"`
	NextAttempt time.Time     `json:"next_attempt,omitzero" doc:"When the dream-cycle looks at it again"`
	EventAccess
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// TitledMemory names a memory for a person.
type TitledMemory struct {
	ID    MemoryID `json:"id" format:"uuid"`
	Title string   `json:"title"`
}

// FoundByModel is the extractor in the metadata of a candidate that only a model has found.
const FoundByModel = "model"

// ByModel reports whether only a model has found c, and not the rules. A person decides about it.
func (c *Candidate) ByModel() bool {
	var m struct {
		Extractor string `json:"extractor_kind"`
	}
	return json.Unmarshal(c.Metadata, &m) == nil && m.Extractor == FoundByModel
}

// TakeTrust makes c, into which o is merged, no more credible than o: it counts as found by a model if o does, and has
// at most the confidence of o.
func (c *Candidate) TakeTrust(o *Candidate) {
	c.Confidence = min(c.Confidence, o.Confidence)
	if c.ByModel() || !o.ByModel() {
		return
	}
	m := map[string]any{}
	_ = json.Unmarshal(c.Metadata, &m) // what is no object has nothing to keep
	m["extractor_kind"] = FoundByModel
	if text, err := json.Marshal(m); err == nil {
		c.Metadata = text
	}
}

// Evidence is a passage of notes, as they were submitted.
type Evidence struct {
	Start     int    `json:"start" doc:"Where it begins, in bytes"`
	End       int    `json:"end" doc:"Where it ends, in bytes"`
	CharStart int    `json:"char_start" doc:"Where it begins, in characters"`
	CharEnd   int    `json:"char_end" doc:"Where it ends, in characters"`
	Role      string `json:"role" enum:"statement,reason,cue,event" doc:"What it is for the candidate"`
	EventID   string `json:"event_id,omitempty" doc:"The event whose text it is a passage of; none: the notes"`
	// SourceID is set after a merge.
	SourceID ReflectionID `json:"source_id,omitzero" format:"uuid" doc:"The stored notes, if they are not those of the candidate"`
}

// ClaimRecord is a claim that a candidate makes.
type ClaimRecord struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Content     string   `json:"content"`
	Confidence  float64  `json:"confidence"`
	RawSources  []string `json:"raw_source_ids" nullable:"false"`
	Scope       Scope    `json:"memory_scope"`
	ScopeKey    string   `json:"scope_key,omitempty"`
	Validity    string   `json:"validity" enum:"active,contested" doc:"contested if a visible memory contradicts it"`
	Freshness   string   `json:"freshness" enum:"current"`
	Supports    []string `json:"supports_source_ids" nullable:"false"`
	Contradicts []string `json:"contradicts_source_ids" nullable:"false"`
	Supersedes  []string `json:"supersedes_source_ids" nullable:"false"`
}

// FindingKind is what a lifecycle check found.
type FindingKind string

// The kinds of findings.
const (
	FindingClaim         FindingKind = "claim"
	FindingDuplicate     FindingKind = "duplicate"
	FindingSupersession  FindingKind = "supersession"
	FindingStale         FindingKind = "stale" // the old memory says what is true no more
	FindingContradiction FindingKind = "contradiction"
	FindingRefinement    FindingKind = "refinement"
	FindingUnchecked     FindingKind = "unchecked" // a check failed or was not complete
)

// ReflectionFinding is what a lifecycle check found about a candidate and something that the caller sees.
type ReflectionFinding struct {
	ID         string      `json:"id"`
	Kind       FindingKind `json:"kind" enum:"claim,duplicate,supersession,stale,contradiction,refinement,unchecked"`
	Target     string      `json:"target_source_id,omitempty" doc:"The id of the memory or entity"`
	TargetType string      `json:"target_type,omitempty" enum:"memory,entity,candidate"`
	Title      string      `json:"target_title,omitempty"`
	Reason     string      `json:"reason"`
	Confidence float64     `json:"confidence"`
	Action     string      `json:"action" enum:"none,mark_duplicate,supersede,mark_stale,route_to_review,check_again" doc:"What Loci proposes. supersede and mark_stale are only in candidates of earlier versions"`
	Reversible bool        `json:"reversible"`
}

// RelationshipRecord is a relation that a reflection found.
type RelationshipRecord struct {
	Source     string  `json:"source_id"`
	Target     string  `json:"target_id"`
	Type       string  `json:"relationship_type"`
	Reason     string  `json:"reason"`
	Confidence float64 `json:"confidence"`
	Text       string  `json:"text,omitempty" doc:"The words of the notes that say it"`
}

// Review is one decision about a candidate.
type Review struct {
	Action   string    `json:"action" enum:"accept,reject,defer,archive,edit,merge,undo,leave"`
	UserID   UserID    `json:"user_id,omitzero" format:"uuid" doc:"The person, or the person for whom an agent or the dream-cycle acted"`
	Origin   string    `json:"origin" doc:"Who decided: api, a vendor, or dream"`
	Reason   string    `json:"reason,omitempty"`
	At       time.Time `json:"at"`
	Versions int       `json:"version" doc:"The version of the candidate after it"`
}

// DreamOrigin is the origin of decisions of the dream-cycle.
const DreamOrigin = "dream"

// CandidateIDOf returns the id of a candidate that the same writer proposes from the same notes. key is the extractor's
// name for it.
func CandidateIDOf(a *EventAccess, key string) CandidateID {
	return CandidateID(derivedID("candidate", string(a.OrgID), a.UserID.String(), a.WorkspaceID.String(),
		a.ProjectID.String(), a.Origin, key))
}

// ProjectIDOf returns the id that an imported project gets in an org if its own is taken.
func ProjectIDOf(org OrgID, user UserID, id ProjectID) ProjectID {
	return ProjectID(derivedID("project", string(org), user.String(), id.String()))
}

// derivedID returns a UUID of version 8 that follows from texts.
func derivedID(parts ...string) [16]byte {
	return uuid.NewHash(sha256.New(), uuid.Nil, []byte(strings.Join(parts, "\x00")), 8)
}

// Has reports whether a check found something of that kind.
func (c *Candidate) Has(kind FindingKind) bool {
	return slices.ContainsFunc(c.Findings, func(f ReflectionFinding) bool { return f.Kind == kind })
}

// LeaveProject makes c a candidate of its person alone, because its project is deleted.
func (c *Candidate) LeaveProject() {
	c.ProjectID, c.Reach, c.TeamID = ProjectID{}, ReachPrivate, TeamID{}
	c.SuggestedScope, c.SuggestedScopeKey = ScopeGlobal, nil
	c.Relations = slices.DeleteFunc(slices.Clone(c.Relations),
		func(r RelationshipRecord) bool { return r.Type == "BELONGS_TO" })
}

// Wake makes a deferred candidate pending if its time has come.
func (c *Candidate) Wake(now time.Time) {
	if c.State == ReviewDeferred && !c.DeferredTo.After(now) {
		c.State, c.DeferredTo = ReviewPending, time.Time{}
	}
}

// SetDefaults makes lists of what is missing.
func (c *Candidate) SetDefaults() {
	for _, list := range []*[]string{&c.Tags, &c.RawSources, &c.SensitivityFlags, &c.RelatedTo} {
		*list = OrEmpty(*list)
	}
	c.Claims, c.Findings, c.Relations = OrEmpty(c.Claims), OrEmpty(c.Findings), OrEmpty(c.Relations)
	c.Evidence, c.TaskIDs = OrEmpty(c.Evidence), OrEmpty(c.TaskIDs)
	c.State = cmp.Or(c.State, ReviewPending)
	c.Version = cmp.Or(c.Version, 1)
}

// Validate returns an Invalid error for the first field that breaks a limit.
func (c *Candidate) Validate() error {
	c.Tags = Unique(c.Tags)
	return firstError(
		func() error { return CheckCandidateKind("kind", c.Kind) },
		func() error { return CheckText("title", c.Title, 1, MaxTitle) },
		func() error { return CheckText("content", c.Content, 1, MaxContent) },
		func() error { return CheckText("domain", c.Domain, 0, MaxCategory) },
		func() error { return CheckTags("tags", c.Tags, 0) },
		func() error {
			if math.IsNaN(c.Confidence) || c.Confidence < 0 || c.Confidence > 1 {
				return FieldErrorf("confidence", "must be from 0 to 1")
			}
			return nil
		},
		func() error { return c.Reach.check(c.TeamID) },
	)
}

// CheckCandidateKind returns an Invalid error unless k is one of CandidateKinds.
func CheckCandidateKind(field string, k CandidateKind) error {
	if slices.Contains(CandidateKinds(), k) {
		return nil
	}
	return FieldErrorf(field, "must be decision, plan, idea, claim, artifact, procedure or session")
}

// CheckReviewState returns an Invalid error unless s is one of ReviewStates.
func CheckReviewState(field string, s ReviewState) error {
	if slices.Contains(ReviewStates(), s) {
		return nil
	}
	return FieldErrorf(field, "must be pending, promoted, rejected, deferred or archived")
}

// CheckIntent returns an Invalid error unless i is one of Intents.
func CheckIntent(field string, i Intent) error {
	if slices.Contains(Intents(), i) {
		return nil
	}
	return FieldErrorf(field, "must be build, plan, ideate, research, debug, decide, learn or general")
}

// Reflection is the source of candidates: the raw notes, as provenance.
type Reflection struct {
	ID     ReflectionID `json:"id" format:"uuid"`
	Title  string       `json:"title"`
	Text   string       `json:"text" doc:"The notes. Secrets and card numbers are redacted"`
	Intent Intent       `json:"intent"`
	Domain string       `json:"domain,omitempty"`
	// Redacted maps places of the notes as submitted to places of Text.
	Redacted  []Redacted `json:"redacted" nullable:"false"`
	SessionID SessionID  `json:"session_id,omitzero" format:"uuid"`
	TaskIDs   []TaskID   `json:"task_ids" nullable:"false"`
	EventAccess
	CreatedAt time.Time `json:"created_at"`
}

// Redacted is a passage of notes that Loci did not store.
type Redacted struct {
	Type  string `json:"type" example:"api_key"`
	Start int    `json:"start" doc:"Where it began in the notes as submitted, in bytes"`
	End   int    `json:"end" doc:"Where it ended, in bytes"`
	At    int    `json:"at" doc:"Where its mark begins in the stored text, in bytes"`
	Width int    `json:"width" doc:"The length of its mark, in bytes"`
}

// ReflectionIDOf returns the id of notes that the same writer submits again.
func ReflectionIDOf(a *EventAccess, title, text string) ReflectionID {
	return ReflectionID(derivedID("reflection", string(a.OrgID), a.UserID.String(), a.ProjectID.String(), a.Origin, title,
		text))
}
