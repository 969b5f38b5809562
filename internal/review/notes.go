package review

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// Notes are raw notes to reflect. NotesOf fills in what their sender left out.
type Notes struct {
	Content     string
	SourceTitle string // "": loci.DefaultSourceTitle
	Intent      loci.Intent
	Domain      string
	Project     string   // an id or a name
	RelatedTo   []string // ids of visible memories, or of entities of the project
	TaskIDs     []string
	ActiveTask  bool // link the only task of the project that is being done
	Persist     bool
	// PersistSource stores the notes as provenance. PersistReview stores the candidates for review, instead of promoting
	// them. Both need Persist.
	PersistSource, PersistReview bool
	Limit                        int // 0: loci.DefaultCandidates
	// AllowedVendors may read what comes of the notes; nil: every vendor.
	AllowedVendors []loci.Vendor
}

// NotesOf returns the notes that somebody sends, with the defaults of what they left out.
func NotesOf(n loci.NewNotes) Notes {
	return Notes{Content: n.Content, SourceTitle: n.SourceTitle, Intent: n.Intent, Domain: n.Domain, Project: n.Project,
		RelatedTo: n.RelatedTo, TaskIDs: n.TaskIDs, ActiveTask: n.ActiveTask == nil || *n.ActiveTask, Persist: n.Persist,
		PersistSource: n.PersistSource == nil || *n.PersistSource, PersistReview: n.PersistReview, Limit: n.Limit,
		AllowedVendors: n.AllowedVendors}
}

// check sets the defaults and returns an Invalid error for the first field that breaks a limit.
func (n *Notes) check() error {
	n.SourceTitle = cmp.Or(n.SourceTitle, loci.DefaultSourceTitle)
	n.Intent = cmp.Or(n.Intent, loci.IntentGeneral)
	n.Limit = cmp.Or(n.Limit, loci.DefaultCandidates)
	if n.AllowedVendors == nil {
		n.AllowedVendors = []loci.Vendor{loci.AnyVendor}
	}
	n.AllowedVendors = loci.Unique(n.AllowedVendors)
	n.SourceTitle, n.Domain = withoutSecrets(n.SourceTitle), withoutSecrets(n.Domain)
	n.RelatedTo, n.TaskIDs = loci.Unique(n.RelatedTo), loci.Unique(n.TaskIDs)
	if err := cmp.Or(
		loci.CheckText("content", n.Content, 1, loci.MaxNotes),
		loci.CheckText("source_title", n.SourceTitle, 1, loci.MaxTitle),
		loci.CheckIntent("intent", n.Intent),
		loci.CheckText("domain", n.Domain, 0, loci.MaxCategory),
		loci.CheckVendors(n.AllowedVendors),
		checkLength("related_to", len(n.RelatedTo)),
		checkLength("task_ids", len(n.TaskIDs)),
	); err != nil {
		return err
	}
	if n.Limit < 1 || n.Limit > loci.MaxCandidates {
		return loci.FieldErrorf("limit", "must be from 1 to %d; leave it out for %d", loci.MaxCandidates,
			loci.DefaultCandidates)
	}
	return nil
}

// withoutSecrets returns a text without the secrets and card numbers in it.
func withoutSecrets(text string) string {
	clean, _ := sensitive.Redact(text, sensitive.Find(text))
	return clean
}

func checkLength(field string, n int) error {
	if n > loci.MaxRelatedTo {
		return loci.FieldErrorf(field, "has %d entries; at most %d are allowed", n, loci.MaxRelatedTo)
	}
	return nil
}

// The texts of the errors that the seed of this tool names.
const (
	noOrg          = "Organization context required: authenticate with a key of an org"
	noSpaceProject = "Project is required when MCP credentials are project-scoped: pass project"
	noSpace        = "api_key_memory_space_denied: this key is not granted that memory space; " +
		"name a project of the key, or ask its person for a key that has it"
)

// place finds out where notes belong: who may see what comes of them, and what they are linked to.
type place struct {
	loci.EventAccess
	session loci.SessionID
	tasks   []loci.TaskID
}

// placeOf returns the place of notes. A key that is limited to projects needs one of them to store anything.
func (s *Service) placeOf(ctx context.Context, p loci.Principal, n *Notes) (*place, error) {
	at := &place{EventAccess: loci.EventAccess{OrgID: p.OrgID, UserID: p.UserID, WorkspaceID: p.WorkspaceID,
		Reach: loci.ReachPrivate, Origin: p.Origin, AllowedVendors: slices.Clone(n.AllowedVendors)}}
	if n.Project == "" {
		if p.OnlyProjects && n.Persist {
			return nil, &loci.Error{Code: loci.Invalid, Field: "project", Text: noSpaceProject}
		}
	} else if err := s.inProject(ctx, p, n, at); err != nil {
		return nil, err
	}
	if p.SessionID.IsZero() {
		return at, nil
	}
	return at, s.Store.View(ctx, p.OrgID, func(tx store.Tx) error { return at.within(ctx, tx, p) })
}

func (s *Service) inProject(ctx context.Context, p loci.Principal, n *Notes, at *place) error {
	in, err := s.projects.Named(ctx, p, n.Project)
	switch {
	case loci.CodeOf(err) == loci.Invalid && p.OnlyProjects:
		return loci.Errorf(loci.Forbidden, "%s", noSpace)
	case err != nil:
		return err
	}
	at.ProjectID, at.Reach = in.ID, loci.ReachOrg
	if n.Persist {
		return s.projects.MustBeOpen(ctx, p, in.ID)
	}
	return nil
}

// within narrows the place to the session in which p works: what comes of it inherits who may see it.
func (at *place) within(ctx context.Context, tx store.Tx, p loci.Principal) error {
	session, err := tx.Sessions().Get(ctx, p.Viewer(), p.SessionID)
	if loci.CodeOf(err) == loci.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	at.session = session.ID
	at.AllowedVendors = slices.Clone(loci.Narrowed(at.AllowedVendors, session.AllowedVendors))
	if at.ProjectID.IsZero() {
		at.ProjectID = session.ProjectID
	}
	if at.Reach != session.Reach || session.Reach == loci.ReachTeam {
		at.Reach = loci.ReachPrivate
	}
	return nil
}

// Extractor finds candidates in notes. It must answer without network if egress is off. Service calls it outside of
// transactions.
type Extractor interface {
	Extract(ctx context.Context, a *Asked) (*Extracted, error)
	// Slow reports whether it may take seconds for some notes. Then the dream-cycle gives it few at once.
	Slow() bool
}

// Asked is the notes that an extractor reads.
type Asked struct {
	reflection.Note
	// Clean is the notes without secrets and card numbers. Nothing else of the notes may leave the process.
	Clean      string
	Redactions sensitive.Map     // leads from the notes to Clean, and back
	Matches    []sensitive.Match // what is sensitive in the notes
	Asker
}

// Ask returns notes for an extractor.
func Ask(n reflection.Note, by Asker) *Asked {
	a := &Asked{Note: n, Matches: everywhere(n.Content, sensitive.Find(n.Content)), Asker: by}
	a.Clean, a.Redactions = sensitive.Redact(n.Content, a.Matches)
	return a
}

// Asker is for whom an extractor reads.
type Asker struct {
	Person string        // who has written the notes
	Caller string        // the credential that asks
	Dream  bool          // the dream-cycle asks
	Most   time.Duration // what it may take; 0: it is up to the extractor
}

// Extracted is what an extractor found.
type Extracted struct {
	*reflection.Extraction
	Extractor string  // "rules", or "model" if that added to what the rules found
	Dropped   int     // how many candidates of a model were refused, such as those that are not in the notes
	Without   NoModel // why no model answered although one is configured; "": it did, or there is none
}

// Rules is the extractor without a model.
type Rules struct{}

// Extract implements Extractor.
func (Rules) Extract(_ context.Context, a *Asked) (*Extracted, error) {
	return &Extracted{Extraction: reflection.Extract(a.Note), Extractor: "rules"}, nil
}

// Slow implements Extractor.
func (Rules) Slow() bool { return false }

// NoModel is why the configured model has not read some notes.
type NoModel string

// The reasons.
const (
	ModelTooLong     NoModel = "too_long"    // the notes are longer than Loci sends
	ModelBusy        NoModel = "busy"        // it reads too many notes already
	ModelBudget      NoModel = "budget"      // the tokens of the day are used up
	ModelFailing     NoModel = "failing"     // it failed several times; Loci asks again later
	ModelTimeout     NoModel = "timeout"     // it took too long
	ModelUnreachable NoModel = "unreachable" // nobody answered
	ModelRefused     NoModel = "refused"     // an HTTP status other than success
	ModelUnusable    NoModel = "unusable"    // the answer is not what was asked for
)
