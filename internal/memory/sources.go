package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// AddSources says where a memory comes from. Of each draft, kind, ref, text, quote, start, end and allowed_vendors
// count; no vendors are those of the memory, and others must be among them. One that is there already from the same
// writer is returned as it is; added says how many are new. NotFound if the memory is not visible; Forbidden if it is
// another person's or, for an agent, of another origin; Conflict if there are too many or its project is archived;
// Invalid about sources[i], also if one names a session or an event that p does not see.
func (s *Service) AddSources(ctx context.Context, p loci.Principal, id loci.MemoryID, drafts []loci.Source) (
	all []loci.Source, added int, err error) {
	if err := s.Begin(ctx, p, SourceAdd); err != nil {
		return nil, 0, err
	}
	if len(drafts) == 0 {
		return nil, 0, loci.FieldErrorf("sources", "must have 1 to %d entries", loci.MaxSources)
	}
	if err := s.checkEvents(ctx, p, drafts); err != nil {
		return nil, 0, err
	}
	err = s.attach(ctx, p, SourceAdd, id, func(tx store.Tx, m *loci.Memory, e *loci.AuditEntry) (err error) {
		var made []loci.Source
		if all, made, err = s.putSources(ctx, tx, p, m, drafts); err != nil || len(made) == 0 {
			e.Action = ""
			gate.ChangedOnly(ctx)
			return err
		}
		added = len(made)
		return tellSources(ctx, tx, p, m, made)
	})
	if err != nil {
		return nil, 0, err
	}
	return all, added, nil
}

// tellSources puts sources into the feed that were added without a new version of m.
func tellSources(ctx context.Context, tx store.Tx, p loci.Principal, m *loci.Memory, added []loci.Source) error {
	for _, src := range added {
		if err := tx.Feed().Attached(ctx, m, p.Origin, src.AllowedVendors); err != nil {
			return err
		}
	}
	return nil
}

// Sources returns where a memory comes from, oldest first, as far as the caller sees it, also of a superseded one, and
// for a person of one in the trash. NotFound if the memory is not visible.
func (s *Service) Sources(ctx context.Context, p loci.Principal, id loci.MemoryID) (list []loci.Source, err error) {
	if err := s.Begin(ctx, p, SourceRead); err != nil {
		return nil, err
	}
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		life, err := withAttached(ctx, tx, p, id)
		if err == nil {
			list, err = tx.Sources().List(ctx, p.Viewer(), []loci.MemoryID{id}, life)
		}
		return err
	})
	return list, err
}

// DeleteSource deletes a source for good. NotFound if it is not visible; Forbidden if the memory is another person's
// or, for an agent, if another origin wrote the source, and where the org deletes only after step-up.
func (s *Service) DeleteSource(ctx context.Context, p loci.Principal, id loci.SourceID) error {
	if err := s.Begin(ctx, p, SourceDelete); err != nil {
		return err
	}
	return s.Write(ctx, p, SourceDelete, func(tx store.Tx, e *loci.AuditEntry) error {
		src, err := tx.Sources().Get(ctx, p.Viewer(), id, Within(p))
		if err != nil {
			return err
		}
		m, err := mayDetach(ctx, tx, p, src.MemoryID, src.Origin)
		if err != nil {
			return err
		}
		e.Target = id.String()
		if err := tx.Sources().Remove(ctx, id); err != nil {
			return err
		}
		return tx.Feed().Attached(ctx, m, p.Origin, src.AllowedVendors)
	})
}

// putSources stores where m, which is stored already, comes from. See AddSources. all are those that were there before
// those that it made.
func (s *Service) putSources(ctx context.Context, tx store.Tx, p loci.Principal, m *loci.Memory, drafts []loci.Source) (
	all, made []loci.Source, err error) {
	if len(drafts) > loci.MaxSources {
		return nil, nil, loci.FieldErrorf("sources", "has %d entries; at most %d are allowed", len(drafts), loci.MaxSources)
	}
	var have []loci.Source
	if len(drafts) > 0 {
		if have, err = tx.Sources().List(ctx, p.Viewer(), []loci.MemoryID{m.ID}, loci.LiveOnly); err != nil {
			return nil, nil, err
		}
	}
	for i, d := range drafts {
		src := s.sourceOf(p, m, d)
		field := fmt.Sprintf("sources[%d]", i)
		if err := checkSource(m, &src, field); err != nil {
			return nil, nil, err
		}
		if err := nameWork(ctx, tx, p, &src, field); err != nil {
			return nil, nil, err
		}
		same := func(other loci.Source) bool { return sameSource(&src, &other) }
		if slices.ContainsFunc(made, same) || slices.ContainsFunc(all, same) {
			continue
		}
		if at := slices.IndexFunc(have, same); at >= 0 {
			all = append(all, have[at])
			continue
		}
		made = append(made, src)
	}
	for _, s1 := range made {
		err := tx.Sources().Insert(ctx, s1)
		if err == nil && len(gate.SecretsOf(s1)) > 0 {
			err = Notice(ctx, tx, m)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return append(all, made...), made, nil
}

// sourceOf takes from a draft what a writer decides.
func (s *Service) sourceOf(p loci.Principal, m *loci.Memory, d loci.Source) loci.Source {
	src := loci.Source{ID: loci.NewSourceID(), MemoryID: m.ID, UserID: p.UserID, Origin: p.Origin, CreatedAt: s.Time(),
		Kind: d.Kind, Ref: d.Ref, Text: d.Text, Quote: d.Quote, Start: d.Start, End: d.End,
		AllowedVendors: slices.Clone(d.AllowedVendors)}
	if src.AllowedVendors == nil {
		src.AllowedVendors = slices.Clone(m.AllowedVendors)
	}
	return src
}

// checkEvents refuses sources of kind event unless p sees the event. Events are not in the store, so it runs before the
// transaction.
func (s *Service) checkEvents(ctx context.Context, p loci.Principal, drafts []loci.Source) error {
	for i, d := range drafts {
		if d.Kind != loci.SourceEvent {
			continue
		}
		var id loci.EventID
		var seen []*loci.Event
		if id.UnmarshalText([]byte(d.Ref)) == nil && s.Events != nil {
			var err error
			if seen, err = s.Events.Named(ctx, p, id); err != nil {
				return err
			}
		}
		if len(seen) == 0 {
			return loci.FieldErrorf(fmt.Sprintf("sources[%d].ref", i), "names no event that you can see")
		}
	}
	return nil
}

// nameWork writes the id of a session or an event in the usual form. It refuses a session that p does not see.
func nameWork(ctx context.Context, tx store.Tx, p loci.Principal, s *loci.Source, field string) error {
	switch s.Kind {
	case loci.SourceEvent: // see checkEvents
		s.Ref = strings.ToLower(s.Ref)
	case loci.SourceSession:
		session, err := store.FindSession(ctx, tx, p.Viewer(), s.Ref)
		if err != nil {
			return store.NameError(err, field+".ref", "names no session that you can see")
		}
		s.Ref = session.ID.String()
	}
	return nil
}

// checkSource refuses a source that proves nothing, and one that more vendors would see than the memory, as soon as a
// person lets them see that.
func checkSource(m *loci.Memory, s *loci.Source, field string) error {
	if err := s.Validate(field); err != nil {
		return err
	}
	if err := s.CheckProof(field); err != nil {
		return err
	}
	if slices.Contains(m.AllowedVendors, loci.AnyVendor) {
		return nil
	}
	for _, v := range s.AllowedVendors {
		if !slices.Contains(m.AllowedVendors, v) {
			return loci.FieldErrorf(field+".allowed_vendors",
				"names %q, which may not read the memory; leave it out for those who may", v)
		}
	}
	return nil
}

// sameSource reports whether two sources of one memory, which are of its owner, say the same, by the same writer to the
// same readers.
func sameSource(a, b *loci.Source) bool {
	return a.Kind == b.Kind && a.Ref == b.Ref && a.Text == b.Text && a.Quote == b.Quote && a.Start == b.Start &&
		a.End == b.End && a.Origin == b.Origin && slices.Equal(a.AllowedVendors, b.AllowedVendors)
}
