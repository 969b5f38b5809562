package gate

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// textsOf replaces each text of a *loci.MemoryNode, *loci.NodeItem or *loci.Task by what fn, unless nil, returns for
// it. It returns the old texts, what Loci notices of them, and an inbox item about their secrets.
func textsOf(row any, fn func(string) string) (all []string, n *loci.Noticed, sg loci.Suggestion) {
	each := func(texts ...*string) {
		for _, text := range texts {
			if all = append(all, *text); fn != nil {
				*text = fn(*text)
			}
		}
	}
	is := &loci.SecretRow{}
	switch r := row.(type) {
	case *loci.MemoryNode:
		each(&r.Name, &r.Description)
		for i := range r.Tags {
			each(&r.Tags[i])
		}
		r.Tags, n, is.Kind, is.ID = loci.Unique(r.Tags), &r.Noticed, loci.RowNode, loci.ID[any](r.ID)
		sg.UserID, sg.Origin, sg.CreatedAt = r.UserID, r.Origin, r.UpdatedAt
	case *loci.NodeItem:
		each(&r.Text)
		n, is.Kind, is.ID = &r.Noticed, loci.RowItem, loci.ID[any](r.ID)
		sg.UserID, sg.Origin, sg.CreatedAt = r.UserID, r.Origin, r.CreatedAt
	case *loci.Task:
		each(&r.Title, &r.Notes)
		n, is.Kind, is.ID = &r.Noticed, loci.RowTask, loci.ID[any](r.ID)
		sg.UserID, sg.Origin, sg.CreatedAt = r.UserID, r.Origin, r.UpdatedAt
	}
	sg.ID, sg.Kind, sg.Row, sg.State = loci.NewSuggestionID(), loci.SuggestSecret, is, loci.SuggestionPending
	return all, n, sg
}

// Notice names the secrets of a row, as textsOf takes it, in the row and puts them into the inbox of its person. What
// this person keeps does not count until the row gets a secret that old, the row before, did not have.
func Notice(ctx context.Context, tx store.Tx, row, old any) (err error) {
	now, n, sg := textsOf(row, nil)
	before, _, _ := textsOf(old, nil)
	if n.SecretsKept = n.SecretsKept && !sensitive.Adds(before, now); n.SecretsKept {
		return nil
	}
	if n.Secrets = sensitive.Named(now...); len(n.Secrets) > 0 {
		_, err = Suggest(ctx, tx, sg)
	}
	return err
}

// SecretsOf returns which types of secrets sources have.
func SecretsOf(list ...loci.Source) []string {
	var texts []string
	for _, s := range list {
		texts = append(texts, s.Ref, s.Text, s.Quote)
	}
	return sensitive.Named(texts...)
}

// Cover puts by in the place of each secret of a row, as textsOf takes it, unless its person keeps them.
func Cover(row any, by string) {
	if all, n, _ := textsOf(row, nil); !n.SecretsKept {
		textsOf(row, sensitive.Replacer(sensitive.Values(all...), by))
	}
}

// Excerpt is the beginning of texts, with [secret] in the place of each secret.
func Excerpt(origin string, texts ...string) *loci.Excerpt {
	text := sensitive.Replacer(sensitive.Values(texts...), sensitive.Masked)(strings.TrimSpace(strings.Join(texts, "\n")))
	return &loci.Excerpt{Title: loci.Shorten(loci.OneLine(text), 80), Text: loci.Shorten(text, loci.ExcerptLength),
		Origin: origin, Secrets: sensitive.Named(texts...)}
}

// RowOf adds the beginning of its row, unless that is an event, to an inbox item. With settle, it then keeps the
// secrets of the row of a declined item, and removes those of an accepted one.
func RowOf(ctx context.Context, tx store.Tx, v loci.Viewer, sg *loci.Suggestion, settle bool) error {
	edit := func(row any) bool {
		all, n, _ := textsOf(row, nil)
		if sg.Row.Excerpt = Excerpt(sg.Origin, all...); settle {
			n.SecretsKept = sg.State == loci.SuggestionDeclined
			Cover(row, sensitive.Removed)
		}
		return settle
	}
	switch sg.Row.Kind {
	case loci.RowNode:
		n, err := tx.MemoryNodes().Get(ctx, v, loci.NodeID(sg.Row.ID), loci.AnyState)
		if err == nil && edit(n) {
			n.UpdatedAt = Later(sg.SettledAt, n.UpdatedAt)
			err = tx.MemoryNodes().Update(ctx, n)
		}
		return err
	case loci.RowItem:
		return tx.MemoryNodes().EditItem(ctx, v, loci.NodeItemID(sg.Row.ID), func(i *loci.NodeItem) bool { return edit(i) })
	case loci.RowTask:
		t, err := tx.Tasks().Get(ctx, v, loci.TaskID(sg.Row.ID))
		if err == nil && edit(&t) {
			t.Version, t.UpdatedAt = t.Version+1, Later(sg.SettledAt, t.UpdatedAt)
			err = tx.Tasks().Update(ctx, t)
		}
		return err
	}
	return nil
}
