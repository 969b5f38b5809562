package graph

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// text is the text of one row of a graph.
type text struct {
	loci.GraphAccess
	ids  loci.GraphIDs
	kind string
	own  string // what the row itself has
	all  string // own after the name of its entity, which may introduce a secret: "staging password: …"
}

// secrets returns the secrets in a row and their types. Those that its person keeps do not count.
func (t *text) secrets() (values, types []string) {
	if !t.SecretsKept {
		values = slices.DeleteFunc(sensitive.Values(t.all), func(v string) bool { return !strings.Contains(t.own, v) })
	}
	if len(values) > 0 {
		types = sensitive.Named(t.all)
	}
	return values, types
}

// texts returns the texts of added rows: a list of PutEntity, Observed or PutRelation, or GraphRows.
func texts(added any) (all []text) {
	rows, name := store.GraphRows{}, map[loci.EntityID]string{}
	observed := func(of string, list []loci.Observation) {
		for _, o := range list {
			name[o.EntityID] = of
		}
		rows.Observations = append(rows.Observations, list...)
	}
	switch list := added.(type) {
	case store.GraphRows:
		rows = list
	case []PutEntity:
		for _, one := range list {
			if one.Created {
				rows.Entities = append(rows.Entities, one.Entity)
			}
			observed(one.Entity.Name, one.Added)
		}
	case []Observed:
		for _, one := range list {
			observed(one.Entity.Name, one.Added)
		}
	case []PutRelation:
		for _, one := range list {
			if one.Created {
				rows.Relations = append(rows.Relations, one.Relation)
			}
		}
	}
	for _, e := range rows.Entities {
		own, ids := e.Name+" ("+e.Type+")", loci.GraphIDs{Entities: []loci.EntityID{e.ID}}
		name[e.ID], all = e.Name, append(all, text{e.GraphAccess, ids, "entity", own, own})
	}
	for _, o := range rows.Observations {
		ids := loci.GraphIDs{Observations: []loci.ObservationID{o.ID}}
		all = append(all, text{o.GraphAccess, ids, "observation", o.Content, name[o.EntityID] + ": " + o.Content})
	}
	for _, r := range rows.Relations {
		ids := loci.GraphIDs{Relations: []loci.RelationID{r.ID}}
		all = append(all, text{r.GraphAccess, ids, "relation", r.Type, r.Type})
	}
	return all
}

// SecretsIn returns which types of secrets the added rows of a list of PutEntity, Observed or PutRelation have.
func SecretsIn(added any) (types []string) {
	for _, t := range texts(added) {
		_, some := t.secrets()
		types = append(types, some...)
	}
	return loci.Unique(types)
}

// Notice puts the secrets of added rows, as in SecretsIn or GraphRows, into the inboxes of their people.
func (s *Service) Notice(ctx context.Context, of loci.Project, added any) {
	var found []loci.Suggestion
	for _, t := range texts(added) {
		if _, types := t.secrets(); len(types) > 0 {
			found = append(found, loci.Suggestion{ID: loci.NewSuggestionID(), Kind: loci.SuggestSecret, UserID: t.UserID,
				Graph: &loci.SuggestedGraph{ProjectID: of.ID, WorkspaceID: of.WorkspaceID, GraphIDs: t.ids,
					AllowedVendors: t.AllowedVendors}, Origin: t.Origin, State: loci.SuggestionPending, CreatedAt: s.Time()})
		}
	}
	if err := s.Inbox(context.WithoutCancel(ctx), of.OrgID, found); err != nil {
		s.Log.WarnContext(ctx, "cannot put the secret of a graph into the inbox", slog.Any("error", err))
	}
}

// textsOf returns the texts of the visible rows with these ids, in any state.
func textsOf(ctx context.Context, tx store.GraphTx, v loci.Viewer, ids loci.GraphIDs) ([]text, error) {
	rows, err := tx.Graph().Named(ctx, v, ids, loci.AnyState)
	var owners loci.GraphIDs
	for _, o := range rows.Observations {
		owners.Entities = append(owners.Entities, o.EntityID)
	}
	found, failed := tx.Graph().Named(ctx, v, owners, loci.AnyState)
	rows.Entities = append(found.Entities, rows.Entities...)
	return texts(rows)[len(found.Entities):], errors.Join(err, failed)
}

// SettleSecrets keeps the secrets of the rows that a suggestion names, or removes them from all rows that p wrote in
// the graph: a merge copies rows.
func (s *Service) SettleSecrets(ctx context.Context, p loci.Principal, sg *loci.Suggestion, keep bool) error {
	_, err := update(ctx, s, p, sg.Graph.ProjectID, func(tx store.GraphTx, v loci.Viewer) (none int, err error) {
		if keep {
			return none, tx.Entities().SettleSecrets(ctx, p.UserID, sg.Graph.GraphIDs, nil)
		}
		var values []string
		all, err := textsOf(ctx, tx, v, sg.Graph.GraphIDs)
		for i := range all {
			all[i].SecretsKept = false
			some, _ := all[i].secrets()
			values = append(values, some...)
		}
		if err == nil && len(values) > 0 {
			err = tx.Entities().SettleSecrets(ctx, p.UserID, sg.Graph.GraphIDs, sensitive.Replacer(values, sensitive.Removed))
			err = errors.Join(err, tx.Rebuild(ctx))
		}
		return none, err
	})
	if err == nil && !keep {
		s.index.Forget(ctx, p.OrgID, sg.Graph.ProjectID)
	}
	return err
}
