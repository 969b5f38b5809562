package memory

import (
	"context"
	"slices"

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
	return &loci.Saved{Memory: *m, Secrets: secrets, Hint: loci.SecretHint(secrets)}
}

func textsOf(m *loci.Memory) []string {
	return append([]string{m.Title, m.Content, m.Summary, m.Key, m.Source}, m.Tags...)
}

// rewrite replaces each text of m by what fn returns for it.
func rewrite(m *loci.Memory, fn func(string) string) {
	for _, text := range []*string{&m.Title, &m.Content, &m.Summary, &m.Key, &m.Category, &m.Source} {
		*text = fn(*text)
	}
	for i := range m.Tags {
		m.Tags[i] = fn(m.Tags[i])
	}
	m.Tags = loci.Unique(m.Tags)
}

// addsSecret reports whether m has a secret that old did not have.
func addsSecret(old, m *loci.Memory) bool {
	before, now := textsOf(old), textsOf(m)
	return !slices.Equal(before, now) && slices.ContainsFunc(sensitive.Values(now...), func(value string) bool {
		return !slices.Contains(sensitive.Values(before...), value)
	})
}

// Notice puts the secrets of a memory into the inbox of its owner.
func Notice(ctx context.Context, tx store.Tx, m *loci.Memory) error {
	_, err := gate.Suggest(ctx, tx, loci.Suggestion{ID: loci.NewSuggestionID(), Kind: loci.SuggestSecret, MemoryID: m.ID,
		UserID: m.UserID, Origin: m.Editor, State: loci.SuggestionPending, CreatedAt: m.UpdatedAt})
	return err
}

// settleSecret keeps the secrets of a memory, or removes them from its texts, its old versions and its sources.
func (s *Service) settleSecret(ctx context.Context, tx store.Tx, p loci.Principal, sg *loci.Suggestion) error {
	m, err := tx.Memories().Get(ctx, p.Viewer(), sg.MemoryID, loci.AnyState)
	if err == nil && sg.State == loci.SuggestionAccepted {
		err = s.May(p, Erase)
	}
	if err != nil {
		return err
	}
	var remove func(string) string
	values := sensitive.Values(textsOf(m)...)
	how := edit{what: loci.Updated, fn: func(m *loci.Memory) error { m.SecretsKept = true; return nil }}
	if sg.State == loci.SuggestionAccepted {
		err = tx.Memories().Rewrite(ctx, m.ID, func(text string) string {
			values = append(values, sensitive.Values(text)...)
			return text
		})
		remove = sensitive.Replacer(values, sensitive.Removed)
		how.fn = func(m *loci.Memory) error { rewrite(m, remove); return nil }
		sg.Hint = "Backups and exports from before still have the secret, and so do assistants that have read it. Change it."
	}
	if err == nil {
		_, err = s.put(ctx, tx, p, m, how)
	}
	if err != nil || sg.State == loci.SuggestionDeclined {
		return err
	}
	return tx.Memories().Rewrite(ctx, m.ID, remove)
}
