package event

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
)

// SecretsIn returns which types of secrets the texts of events have.
func SecretsIn(drafts ...Draft) []string {
	var texts []string
	for i := range drafts {
		texts = append(texts, drafts[i].Content, string(drafts[i].Metadata))
	}
	return sensitive.Named(texts...)
}

// Notice puts the secrets of stored events into the inboxes of their people.
func (s *Service) Notice(ctx context.Context, org loci.OrgID, events []*loci.Event, stored []Outcome) error {
	var found []loci.Suggestion
	for i, e := range events {
		if !stored[i].Duplicate && !e.SecretsKept && len(sensitive.Named(e.Content, string(e.Metadata))) > 0 {
			found = append(found, loci.Suggestion{ID: loci.NewSuggestionID(), Kind: loci.SuggestSecret,
				Row: &loci.SecretRow{Kind: loci.RowEvent, ID: loci.ID[any](e.ID)}, UserID: e.UserID, Origin: e.Origin,
				State: loci.SuggestionPending, CreatedAt: e.RecordedAt})
		}
	}
	return s.Inbox(ctx, org, found)
}

// SettleSecrets implements memory.Events.
func (s *Service) SettleSecrets(ctx context.Context, p loci.Principal, ids []loci.EventID, remove func(string) string,
) error {
	log, err := s.of(ctx, p.OrgID)
	if err != nil {
		return err
	}
	list, err := log.Get(ctx, p.Viewer(), ids)
	if err != nil {
		return err
	}
	ids = nil
	for _, e := range list {
		all := e.Content + string(e.Metadata)
		if e.UserID == p.UserID && (remove == nil || remove(all) != all) {
			ids = append(ids, e.ID)
		}
	}
	left, err := log.Rewrite(ctx, p.OrgID, ids, func(e *loci.Event) { settleSecrets(e, remove) })
	if err != nil {
		return err
	}
	for _, id := range ids {
		s.index.Forget(ctx, p.OrgID, id)
	}
	short, cancel := context.WithTimeoutCause(ctx, s.o.Patience, loci.ErrSpent)
	defer cancel()
	for s.upkeep(short, p.OrgID) {
		s.due.add(p.OrgID) // a server goes on with what is left
	}
	if len(left) > 0 {
		err = loci.Errorf(loci.Conflict, "cannot change event %s: it is in the org's Arc; delete it there, or decline the "+
			"suggestion", left[0])
	}
	return err
}

// masked returns an event as lists show it: with [secret] in the place of each secret that its person did not decide
// to keep.
func masked(e *loci.Event) *loci.Event {
	if e.SecretsKept || len(sensitive.Named(e.Content, string(e.Metadata))) == 0 {
		return e
	}
	out := *e
	out.Tags = slices.Clone(e.Tags)
	settleSecrets(&out, sensitive.Replacer(sensitive.Values(e.Content, string(e.Metadata)), sensitive.Masked))
	return &out
}

// settleSecrets empties metadata that would be no JSON otherwise.
func settleSecrets(e *loci.Event, remove func(string) string) {
	if e.SecretsKept = remove == nil; e.SecretsKept {
		return
	}
	e.Actor, e.Content, e.DedupKey = remove(e.Actor), remove(e.Content), remove(e.DedupKey)
	for i := range e.Tags {
		e.Tags[i] = remove(e.Tags[i])
	}
	if e.Tags = loci.Unique(e.Tags); len(e.Metadata) > 0 {
		if e.Metadata = json.RawMessage(remove(string(e.Metadata))); !json.Valid(e.Metadata) {
			e.Metadata = json.RawMessage("{}")
		}
	}
}
