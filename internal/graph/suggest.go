package graph

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// Deleted is the result of a deletion or a merge.
type Deleted struct {
	Count      int
	Entities   []loci.Entity    // those that DeleteEntities deleted
	Merged     loci.Entity      // the entity into which Merge merged
	Suggestion *loci.Suggestion // to delete the rows of others; nil: it deleted all
}

// Suggested returns how many rows the call only suggested to delete.
func (d *Deleted) Suggested() int {
	if d.Suggestion == nil {
		return 0
	}
	return d.Suggestion.Graph.Len()
}

// remove is change for what takes rows out of a graph. An agent takes out what its origin wrote, unless rows of others
// hang on it. The rest becomes a suggestion. into is the target of a merge.
func (s *Service) remove(ctx context.Context, p loci.Principal, act gate.Action, in loci.ProjectID,
	fn func(store.GraphTx, loci.Viewer) (d Deleted, into loci.EntityID, err error)) (Deleted, error) {
	var of loci.SuggestedGraph
	d, err := change(ctx, s, p, act, in, func(d Deleted) int { return d.Count },
		func(tx store.GraphTx, v loci.Viewer) (Deleted, error) {
			left := &store.Spared{}
			if p.Vendor != "" {
				left = tx.Spare(func(a *loci.GraphAccess) bool { return p.Owns(a.UserID, a.Origin) })
			}
			d, into, err := fn(tx, v)
			if act == Merge && left.Len() == 0 {
				d.Count = 1
			}
			of = loci.SuggestedGraph{ProjectID: in, GraphIDs: left.GraphIDs, Into: into,
				WorkspaceID: tx.Project().WorkspaceID, AllowedVendors: left.AllowedVendors}
			return d, err
		})
	if err != nil || of.Len() == 0 {
		return d, err
	}
	kind := loci.SuggestDelete
	if act == Merge {
		kind = loci.SuggestMerge
	}
	d.Suggestion = &loci.Suggestion{ID: loci.NewSuggestionID(), Kind: kind, Graph: &of, UserID: p.UserID,
		Origin: p.Origin, State: loci.SuggestionPending, CreatedAt: s.Time()}
	err = s.Store.Update(ctx, p.OrgID, func(tx store.Tx) error {
		made, err := gate.Suggest(ctx, tx, *d.Suggestion)
		d.Suggestion = &made
		return err
	})
	return d, err
}

// Suggested adds the rows to suggestions about graphs as p sees them. It leaves out a suggestion of which p sees no
// row, and a pending one that no person can accept because nothing of it is live.
func (s *Service) Suggested(ctx context.Context, p loci.Principal, list []loci.Suggestion) ([]loci.Suggestion, error) {
	var kept []loci.Suggestion
	for _, sg := range list {
		if sg.Graph == nil {
			kept = append(kept, sg)
			continue
		}
		of := *sg.Graph
		rows, err := View(ctx, s, p, of.ProjectID, func(tx store.GraphTx, v loci.Viewer) ([]loci.SuggestedRow, error) {
			if sg.Kind == loci.SuggestSecret {
				return secretRows(ctx, tx, v, &sg)
			}
			if sg.State == loci.SuggestionPending {
				return suggestedRows(ctx, tx, v, &of, loci.LiveOnly)
			}
			return suggestedRows(ctx, tx, v, &of, loci.AnyState)
		})
		if code := loci.CodeOf(err); err != nil && code != loci.NotFound && code != loci.Conflict {
			return nil, err
		}
		if len(rows) > 0 {
			of.Rows = rows[:min(len(rows), loci.MaxSuggestedRows)]
			of.More += len(rows) - len(of.Rows)
			sg.Graph = &of
			kept = append(kept, sg)
		}
	}
	return kept, nil
}

func suggestedRow(kind, text string, a *loci.GraphAccess) loci.SuggestedRow {
	text = loci.Shorten(sensitive.Mask(text, a.SecretsKept), loci.ExcerptLength)
	return loci.SuggestedRow{Kind: kind, Text: text, Origin: a.Origin}
}

// secretRows returns the visible rows of a suggestion about secrets. If it is pending, they have them still.
func secretRows(ctx context.Context, tx store.GraphTx, v loci.Viewer, sg *loci.Suggestion) (
	list []loci.SuggestedRow, err error) {
	all, err := textsOf(ctx, tx, v, sg.Graph.GraphIDs)
	for i := range all {
		row := suggestedRow(all[i].kind, all[i].all, &all[i].GraphAccess)
		if _, row.Secrets = all[i].secrets(); sg.State != loci.SuggestionPending || len(row.Secrets) > 0 {
			list = append(list, row)
		}
	}
	return list, err
}

// suggestedRows returns the visible rows that a suggestion names, each entity with its observations and relations.
func suggestedRows(ctx context.Context, tx store.GraphTx, v loci.Viewer, of *loci.SuggestedGraph, l loci.Lifecycle) (
	list []loci.SuggestedRow, err error) {
	add := func(kind, text string, a *loci.GraphAccess) { list = append(list, suggestedRow(kind, text, a)) }
	of.More = 0
	rows, err := tx.Graph().Named(ctx, v, of.GraphIDs, l)
	if err != nil {
		return nil, err
	}
	ends := loci.GraphIDs{}
	for _, o := range rows.Observations {
		ends.Entities = append(ends.Entities, o.EntityID)
	}
	if !of.Into.IsZero() {
		ends.Entities = append(ends.Entities, of.Into)
	}
	others, err := tx.Graph().Named(ctx, v, loci.GraphIDs{Entities: loci.Unique(ends.Entities)}, l)
	name := map[loci.EntityID]string{}
	for _, e := range others.Entities {
		name[e.ID] = e.Name
	}
	if err != nil || !of.Into.IsZero() && name[of.Into] == "" {
		return nil, err
	}
	found := rows.Entities
	if l == loci.LiveOnly {
		if found, err = tx.Graph().Get(ctx, v, of.Entities...); err != nil {
			return nil, err
		}
	}
	for i := range found {
		e := &found[i]
		into := ""
		if !of.Into.IsZero() {
			into = " → " + name[of.Into]
		}
		add("entity", e.Name+" ("+e.Type+")"+into, &e.GraphAccess)
		for _, o := range e.Observations {
			add("observation", e.Name+": "+o.Content, &o.GraphAccess)
		}
		for _, r := range e.Relations {
			add("relation", r.Path(), &r.GraphAccess)
		}
		of.More += e.ObservationsLeft + e.RelationsLeft
	}
	for _, o := range rows.Observations {
		add("observation", name[o.EntityID]+": "+o.Content, &o.GraphAccess)
	}
	for _, r := range rows.Relations {
		add("relation", r.Path(), &r.GraphAccess)
	}
	return list, nil
}

// Apply makes the change that a suggestion proposes, as the person's own. Conflict if nothing of it is live and
// visible.
func (s *Service) Apply(ctx context.Context, p loci.Principal, sg *loci.Suggestion) error {
	of, act := sg.Graph, Delete
	if sg.Kind == loci.SuggestMerge {
		act = Merge
	}
	if err := s.Also(ctx, p, act); err != nil {
		return err
	}
	_, err := s.remove(ctx, p, act, of.ProjectID, func(tx store.GraphTx, v loci.Viewer) (
		d Deleted, _ loci.EntityID, err error) {
		if act == Merge {
			d.Count = 1
			_, err = tx.Entities().Merge(ctx, v, access(p), of.Entities[0], of.Into)
		} else {
			d.Count, err = tx.Entities().DeleteRows(ctx, v, access(p), of.GraphIDs)
		}
		if err == nil && d.Count == 0 || loci.CodeOf(err) == loci.NotFound {
			err = loci.Errorf(loci.Conflict, "the rows have left the graph already; decline the suggestion")
		}
		return d, loci.EntityID{}, err
	})
	return err
}

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
