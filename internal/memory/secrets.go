package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// Titles summarises memories for a list of titles.
func Titles(list []*loci.Memory) []loci.MemorySummary { return loci.Summaries(Masked(list)) }

// Masked returns memories as they are shown to readers that did not ask for them by name: with [secret] in the place of
// each secret that their owners did not decide to keep. Those that have one are copies.
func Masked(list []*loci.Memory) []*loci.Memory {
	out := slices.Clone(list)
	for i, m := range list {
		if len(SecretsIn(m)) > 0 {
			out[i] = m.Clone()
			rewrite(out[i], sensitive.Replacer(sensitive.Values(textsOf(m)...), sensitive.Masked))
		}
	}
	return out
}

func maskedTitle(m *loci.Memory) string { return Masked([]*loci.Memory{m})[0].Title }

// SecretsIn returns which types of secrets the texts of a memory have. Those that its owner keeps do not count.
func SecretsIn(m *loci.Memory) []string {
	if m.SecretsKept {
		return nil
	}
	return sensitive.Named(textsOf(m)...)
}

// Changed is the answer to a change of a memory, with the types of the secrets in it.
func Changed(m *loci.Memory) *loci.Saved {
	secrets := SecretsIn(m)
	return &loci.Saved{Memory: *m, SaveNotes: loci.SaveNotes{Secrets: secrets, Hint: loci.SecretHint(secrets)}}
}

func textsOf(m *loci.Memory) []string {
	return append([]string{m.Title, m.Content, m.Summary, m.Key, m.Source}, m.Tags...)
}

// rewrite replaces each text of m by what fn returns for it. A mark without secrets goes.
func rewrite(m *loci.Memory, fn func(string) string) {
	for _, text := range []*string{&m.Title, &m.Content, &m.Summary, &m.Key, &m.Category, &m.Source} {
		*text = fn(*text)
	}
	for i := range m.Tags {
		m.Tags[i] = fn(m.Tags[i])
	}
	m.Tags = loci.Unique(m.Tags)
	m.SecretsKept = m.SecretsKept && len(sensitive.Named(textsOf(m)...)) > 0
}

// Notice puts the secrets of a memory into the inbox of its owner.
func Notice(ctx context.Context, tx store.Tx, m *loci.Memory) error {
	_, err := gate.Suggest(ctx, tx, loci.Suggestion{ID: loci.NewSuggestionID(), Kind: loci.SuggestSecret, MemoryID: m.ID,
		UserID: m.UserID, Origin: m.Editor, State: loci.SuggestionPending, CreatedAt: m.UpdatedAt})
	return err
}

// removal is what accepting a suggestion about a secret takes out of a memory and the events that are its sources.
type removal struct {
	remove   func(string) string
	memories []loci.MemoryID
	hint     string
}

// removedHint follows the removal of a secret.
const removedHint = "Backups and exports from before still have the secret, and so do replaced/ in the data directory" +
	" and assistants that have read it. Change it."

// settleEvents settles the secrets of events before those of memories, because events are in other files: if it stops
// between them, settling again does the rest. Conflict if the suggestion was settled, or its event is in an Arc.
func (s *Service) settleEvents(ctx context.Context, p loci.Principal, sg *loci.Suggestion, state loci.SuggestionState) (
	r removal, err error) {
	var values []string
	var events []loci.EventID
	switch {
	case state == loci.SuggestionAccepted && s.May(p, Erase) != nil:
		return r, s.May(p, Erase)
	case alreadySettled(sg, state) != nil:
		return r, alreadySettled(sg, state)
	case sg.Row != nil && sg.Row.Kind == loci.RowEvent && s.Events != nil:
		list, err := s.Events.Named(ctx, p, loci.EventID(sg.Row.ID))
		if err != nil {
			return r, err
		}
		for _, e := range list {
			events, values = []loci.EventID{e.ID}, sensitive.Values(e.Content, string(e.Metadata))
		}
	}
	if state == loci.SuggestionAccepted {
		err = s.Store.Update(ctx, p.OrgID, func(tx store.Tx) (err error) {
			if sg.Row != nil {
				r.memories, err = tx.Sources().Of(ctx, p.UserID, loci.SourceEvent, sg.Row.ID.String())
				return err
			}
			r.memories = []loci.MemoryID{sg.MemoryID}
			values, events, err = secretsOf(ctx, tx, p, sg.MemoryID)
			return err
		})
		r.remove = sensitive.Replacer(values, sensitive.Removed)
		r.hint = removedHint
	}
	if err != nil || len(events) == 0 || s.Events == nil {
		return r, err
	}
	err = s.Events.SettleSecrets(ctx, p, events, r.remove)
	if loci.CodeOf(err) == loci.Conflict && (sg.Row == nil || r.remove == nil) {
		r.hint, err = strings.TrimSpace(loci.SafeText(err)+". "+r.hint), nil
	}
	return r, err
}

// secretsOf returns the secrets in all versions and sources of a memory, and the events that are its sources.
func secretsOf(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID) (values []string,
	events []loci.EventID, err error) {
	m, err := tx.Memories().Get(ctx, p.Viewer(), id, loci.AnyState)
	if err != nil {
		return nil, nil, err
	}
	values = sensitive.Values(textsOf(m)...)
	err = tx.Memories().Rewrite(ctx, id, func(text string) string {
		values = append(values, sensitive.Values(text)...)
		var event loci.EventID
		if event.UnmarshalText([]byte(text)) == nil { // the reference of a source
			events = append(events, event)
		}
		return text
	})
	return values, events, err
}

// settleIn keeps the secrets of a memory, or removes them from its texts, its old versions and its sources.
func (s *Service) settleIn(ctx context.Context, tx store.Tx, p loci.Principal, sg *loci.Suggestion, r *removal) error {
	if sg.Row != nil && sg.Row.Kind != loci.RowEvent {
		return gate.RowOf(ctx, tx, p.Viewer(), sg, true)
	}
	ids, how := r.memories, edit{what: loci.Updated, fn: func(m *loci.Memory) error { rewrite(m, r.remove); return nil }}
	if sg.State == loci.SuggestionDeclined && sg.Row == nil {
		ids, how.fn = []loci.MemoryID{sg.MemoryID}, func(m *loci.Memory) error { m.SecretsKept = true; return nil }
	}
	for _, id := range ids {
		m, err := tx.Memories().Get(ctx, p.Viewer(), id, loci.AnyState)
		if err == nil {
			m, err = s.put(ctx, tx, p, m, how)
		}
		if err == nil && sg.State == loci.SuggestionAccepted {
			err = tx.Memories().Rewrite(ctx, id, r.remove)
		}
		if err == nil && len(SecretsIn(m)) == 0 { // then nothing is left to decide about it
			own, missing := tx.Suggestions().Pending(ctx, &loci.Suggestion{Kind: loci.SuggestSecret, MemoryID: id})
			if missing == nil {
				err = tx.Suggestions().Settle(ctx, own.ID, loci.SuggestionAccepted, sg.SettledAt)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withRows adds the beginnings of events to suggestions about their secrets. It leaves out pending ones about a row
// that p does not see or that has no secret. If the log cannot be read, it leaves the events as they are.
func (s *Service) withRows(ctx context.Context, p loci.Principal, list []loci.Suggestion) []loci.Suggestion {
	var ids []loci.EventID
	for i := range list {
		if row := list[i].Row; row != nil && row.Kind == loci.RowEvent {
			ids = append(ids, loci.EventID(row.ID))
		}
	}
	var found []*loci.Event
	var err error
	if len(ids) > 0 && s.Events != nil {
		found, err = s.Events.Named(ctx, p, ids...)
	}
	return slices.DeleteFunc(list, func(sg loci.Suggestion) bool {
		if sg.Row == nil || sg.Row.Kind == loci.RowEvent && (err != nil || s.Events == nil) {
			return false
		}
		if i := slices.IndexFunc(found, func(e *loci.Event) bool { return e.ID == loci.EventID(sg.Row.ID) }); i >= 0 {
			sg.Row.SessionID = found[i].SessionID
			sg.Row.Excerpt = gate.Excerpt(found[i].Origin, found[i].Content, string(found[i].Metadata))
		}
		return sg.State == loci.SuggestionPending && (sg.Row.Excerpt == nil || len(sg.Row.Excerpt.Secrets) == 0)
	})
}
