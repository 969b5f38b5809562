package pack

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// inSession makes the pack of a session: the prefix that it got first, and then only what it has not received. It keeps
// what the session has received in the transaction that it ends with.
//
// The prefix is made of the memories as they are now. If the caller cannot read one of them any more, or if one has
// changed, the prefix is made anew: nothing may show what is gone.
func (s *Service) inSession(ctx context.Context, p loci.Principal, r *Request, b *builder) (*loci.ContextPack, error) {
	var before []store.Sent
	if !r.Fresh {
		err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
			before, err = tx.Packs().Sent(ctx, p.SessionID, p.Subject())
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	had, stable, err := s.prefix(ctx, p, b, before)
	if err != nil {
		return nil, err
	}
	b.fill(had)
	out := b.pack()
	out.SessionID, out.PrefixChanged = p.SessionID, len(before) > 0 && !stable
	err = s.Store.Update(ctx, p.OrgID, func(tx store.Tx) error {
		if r.Fresh || !stable {
			if err := tx.Packs().Forget(ctx, p.SessionID, p.Subject(), r.Fresh); err != nil {
				return err
			}
		}
		return tx.Packs().Add(ctx, p.SessionID, p.Subject(), b.given(), s.Time())
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// prefix begins a pack with the prefix that the session got before, and returns what else it has received. stable is
// false if there is none, or if it cannot be the same.
func (s *Service) prefix(ctx context.Context, p loci.Principal, b *builder, before []store.Sent) (had sent, stable bool,
	err error) {
	had = sent{}
	var ids []loci.MemoryID
	begun := false
	for _, one := range before {
		had[one.ID] = one.Version
		if one.Place > 0 {
			ids = append(ids, loci.MemoryID(one.ID))
		}
		begun = begun || one.Place != 0
	}
	list, err := s.memories.Visible(ctx, p, ids)
	if err != nil {
		return nil, false, err
	}
	now := map[[16]byte]*loci.Memory{}
	for _, m := range list {
		now[m.ID] = m
	}
	room := b.room
	for _, one := range before { // by place
		if one.Place <= 0 {
			continue
		}
		m := now[one.ID]
		if m == nil || m.Version != one.Version || !m.Pinned {
			return b.anew(had, before, room), false, nil
		}
		c := ofMemory(m)
		c.section, c.reason = loci.SectionPinned, reasonPinned
		l := again(c, one.Cut, len(b.prefix) == 0)
		if l.cost > b.room {
			return b.anew(had, before, room), false, nil // the budget is smaller than it was
		}
		b.prefix = append(b.prefix, l)
		b.room -= l.cost
	}
	if begun && b.prefix == nil {
		b.prefix = []line{}
	}
	return had, begun, nil
}

// again makes a line of the prefix as it was.
func again(c candidate, cut int, first bool) line {
	l := line{candidate: c, text: c.whole, cut: cut}
	if cut > 0 {
		l.text = loci.CutTokens(c.whole, cut)
	}
	l.cost = around(&c, first) + loci.BoundQuarters(l.text)
	return l
}

// anew forgets a prefix, whose memories then count as not received.
func (b *builder) anew(had sent, before []store.Sent, room int) sent {
	b.prefix, b.room = nil, room
	for _, one := range before {
		if one.Place > 0 {
			delete(had, one.ID)
		}
	}
	return had
}

// given returns what a pack has given to its session, with the places of the prefix. An empty prefix has a row of its
// own: the session has begun.
func (b *builder) given() []store.Sent {
	list := []store.Sent{{Place: -1}}
	for i, l := range b.prefix {
		list = append(list, store.Sent{ID: l.id, Version: l.version, Place: i + 1, Cut: l.cut})
	}
	for _, lines := range b.sections {
		for _, l := range lines {
			list = append(list, store.Sent{ID: l.id, Version: l.version})
		}
	}
	return list
}
