package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func writeFields(c *call, in *memory.Draft) []field {
	var summary string
	var pinned, share bool
	var with string
	return []field{
		text("title", &in.Title, 0, loci.MaxTitle).want(),
		text("content", &in.Content, 1, loci.MaxContent).must().or("value"),
		word("key", &in.Key),
		word("summary", &summary).then(func() { in.Summary = &summary }).hide(),
		tags(&in.Tags, 0),
		word("category", &in.Category).hide(),
		whole("importance", &in.Importance, loci.MinImportance, loci.MaxImportance, 0).hide(),
		flag("pinned", &pinned).then(func() { in.Pinned = &pinned }).hide(),
		seconds("ttl", &in.TTL, memory.MaxTTL).hide(),
		moment("expires_at", &in.ExpiresAt).or("expiresAt"),
		scope(&in.Scope),
		namedProject(c, &in.ProjectID),
		inSession(c),
		oneOf("dedupe", &in.Dedupe, memory.DedupeUpdate, memory.DedupeCreate).hide(),
		memoryIDs(c, "supersedes", &in.Supersedes, memory.MaxSuperseded),
		word("source", &in.Source).hide(),
		vendors("allowed_vendors", &in.AllowedVendors),
		oneOf("memory_type", &in.Type, loci.Semantic, loci.Episodic, loci.Procedural).hide(),
		memoryIDs(c, "corrects", &in.Corrects, memory.MaxSuperseded).hide(),
		moment("valid_from", &in.ValidFrom).hide(), moment("valid_to", &in.ValidTo).hide(),
		items("sources", &in.Sources, loci.MaxSources, sourceFields).optional().hide(),
		flag("share_with_team", &share).hide().then(func() { in.Share = in.Share || share }),
		oneOf("share_scope", &with, theTeam).hide().then(func() { in.Share = in.Share || with != "" }),
	}
}

func (s *Server) writeMemory(ctx context.Context, c *call, in *memory.Draft) (any, error) {
	if in.Scope == loci.ScopeAgent && c.principal.AgentID.IsZero() {
		return nil, loci.FieldErrorf("scope", "agent requires a session of an agent; pass its id as session_id")
	}
	if in.Scope == loci.ScopeProject && in.ProjectID.IsZero() {
		return nil, loci.FieldErrorf("project", `is required when scope is "project"; pass its name or id`)
	}
	saved, err := s.app.Memory.Create(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	out := writtenOf(saved, in.AllowedVendors == nil && !saved.Unchanged)
	if len(out.Suggestions) > 0 {
		out.Decide = s.whereToDecide(c.principal, saved.Suggestions)
	}
	out.Tell = cmp.Or(lockedOut(c.principal.Vendor, &saved.Memory), overCorrection(c.principal.Vendor, saved))
	return out, nil
}

// overCorrection is what an assistant should tell if its save by key replaced a version that the person had made, or
// one with another title and text. Only they and the assistant itself can change its memory.
func overCorrection(v loci.Vendor, saved *loci.Saved) string {
	which := "in which the person had changed this memory"
	switch {
	case v == "" || saved.ReplacedEditor == "" && saved.ReplacedTitle == "":
		return ""
	case saved.ReplacedEditor == "":
		which = fmt.Sprintf("titled %q, whose text was another, too", loci.OneLine(saved.ReplacedTitle))
	}
	return fmt.Sprintf("You replaced version %d, %s. To bring it back, they run: loci revert %s %d",
		saved.ReplacedVersion, which, saved.ID.Short(), saved.ReplacedVersion)
}

// written is the result of a save without the memory, which the model has just written.
type written struct {
	ID             loci.MemoryID   `json:"id"`
	Version        int             `json:"version"`
	Result         string          `json:"result"`                    // created, updated, unchanged or identical
	ExpiresAt      string          `json:"expires_at,omitempty"`      // also if a save by key keeps an old expiry
	ValidFrom      string          `json:"valid_from,omitempty"`      // if no search finds it before
	ValidTo        string          `json:"valid_to,omitempty"`        // if no search finds it later
	AllowedVendors []loci.Vendor   `json:"allowed_vendors,omitempty"` // if the call may not have named them, unless all may read it
	Superseded     []loci.MemoryID `json:"superseded,omitempty"`
	NotNarrowed    []openStill     `json:"not_narrowed,omitempty"`
	Suggestions    []replacement   `json:"suggestions,omitempty"`
	Secrets        []string        `json:"secrets,omitempty"`
	Hint           string          `json:"hint,omitempty"`   // how to let others read it, and what happens to secrets
	Decide         string          `json:"decide,omitempty"` // where the person decides about them
	Similar        []alike         `json:"similar,omitempty"`
	SimilarSkipped bool            `json:"similar_skipped,omitempty"`
	Tell           string          `json:"tell,omitempty"` // what the model should tell the person
	// NoLongerShared are replaced memories that others can read who cannot read the new one.
	NoLongerShared []loci.NoLongerShared `json:"no_longer_shared,omitempty"`
}

// replacement is a suggestion that the owner of the memory decides about.
type replacement struct {
	ID       loci.SuggestionID `json:"id"`
	MemoryID loci.MemoryID     `json:"memory_id"`
}

// openStill is a replaced memory that vendors can still read who cannot read the new one.
type openStill struct {
	ID             loci.MemoryID `json:"id"`
	AllowedVendors []loci.Vendor `json:"allowed_vendors"`
}

type alike struct {
	ID       loci.MemoryID `json:"id"`
	Title    string        `json:"title"`
	Relation loci.Likeness `json:"relation"`
}

// writtenOf returns what a save answers. inherited says that the caller named no vendors although
// the memory is restricted.
func writtenOf(saved *loci.Saved, inherited bool) written {
	out := written{ID: saved.ID, Version: saved.Version, Result: "updated", Superseded: saved.Superseded,
		SimilarSkipped: saved.SimilarSkipped, Hint: saved.Hint, Secrets: saved.Secrets, NoLongerShared: saved.NoLongerShared}
	switch {
	case saved.Created():
		out.Result = "created"
	case saved.Identical:
		out.Result = "identical"
	case saved.Unchanged:
		out.Result = "unchanged"
	}
	if !saved.ExpiresAt.IsZero() {
		out.ExpiresAt = saved.ExpiresAt.UTC().Format(time.RFC3339)
	}
	if !saved.Unchanged && saved.ValidFrom.After(saved.UpdatedAt) {
		out.ValidFrom = saved.ValidFrom.UTC().Format(time.RFC3339)
	}
	if saved.ValidTo.After(saved.UpdatedAt) {
		out.ValidTo = saved.ValidTo.UTC().Format(time.RFC3339)
	}
	if (saved.Identical || inherited) && !slices.Contains(saved.AllowedVendors, loci.AnyVendor) {
		out.AllowedVendors = saved.AllowedVendors
	}
	for _, s := range saved.Suggestions {
		out.Suggestions = append(out.Suggestions, replacement{s.ID, s.MemoryID})
	}
	for _, s := range saved.NotNarrowed {
		out.NotNarrowed = append(out.NotNarrowed, openStill{s.ID, s.AllowedVendors})
	}
	for _, s := range saved.Similar {
		out.Similar = append(out.Similar, alike{s.ID, s.Title, s.Relation})
	}
	return out
}

// theTeam is whom a memory can be shared with. Older clients name it.
const theTeam = "team"

func shareFields(c *call, in *loci.MemoryID) []field {
	var with string
	return []field{memoryID(c, "memory_id", in), oneOf("scope", &with, theTeam).hide()}
}

func (s *Server) shareMemory(ctx context.Context, c *call, in *loci.MemoryID) (any, error) {
	m, err := s.app.Memory.Share(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	return s.hitOf(ctx, c, m), nil
}
