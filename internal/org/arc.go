package org

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/seal"
	"github.com/loci-memory/loci/internal/store"
)

// ArcView is a binding as it may be shown.
type ArcView struct {
	OrgID       loci.OrgID `json:"org_id"`
	URL         string     `json:"url"`
	Database    string     `json:"database"`
	Measurement string     `json:"measurement"`
	Key         string     `json:"api_key"`       // masked
	MasterID    string     `json:"master_key_id"` // names the master key that seals the API key
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
}

// ArcChange has the fields of a binding to change. Nil fields stay unchanged.
type ArcChange struct {
	URL, Database, Measurement *string
	Key                        *loci.Secret
}

func (c *ArcChange) apply(b *loci.ArcBinding) {
	gate.Set(&b.URL, c.URL)
	gate.Set(&b.Database, c.Database)
	gate.Set(&b.Measurement, c.Measurement)
	gate.Set(&b.Key, c.Key)
}

// AddArc binds the org to an Arc. It fails with Invalid, with Conflict if the org has one, and with
// Unavailable without a master key.
func (s *Service) AddArc(ctx context.Context, p loci.Principal, b loci.ArcBinding) (ArcView, error) {
	if err := s.Begin(ctx, p, ArcSet); err != nil {
		return ArcView{}, err
	}
	b.Measurement = cmp.Or(b.Measurement, loci.DefaultMeasurement)
	now := s.Time()
	row, err := s.sealed(p.OrgID, b, store.ArcBinding{OrgID: p.OrgID, CreatedAt: now, UpdatedAt: now})
	if err != nil {
		return ArcView{}, err
	}
	if err := s.Record(ctx, p, ArcSet, string(p.OrgID)); err != nil {
		return ArcView{}, err
	}
	if err := s.Store.ArcBindings().Insert(ctx, row); err != nil {
		return ArcView{}, err
	}
	return s.viewArc(row), nil
}

// sealed puts a valid binding into a row.
func (s *Service) sealed(org loci.OrgID, b loci.ArcBinding, row store.ArcBinding) (store.ArcBinding, error) {
	if err := b.Validate(); err != nil {
		return row, err
	}
	id, nonce, sealed, err := s.o.Master.Seal(org, b.Key)
	row.URL, row.Database, row.Measurement = b.URL, b.Database, b.Measurement
	row.Key = store.SealedKey{MasterID: id, Nonce: nonce, Sealed: sealed}
	return row, err
}

// Unseal returns the binding in a row. Its Unavailable error names the org.
func Unseal(master seal.Ring, row store.ArcBinding) (loci.ArcBinding, error) {
	key, err := master.Open(row.OrgID, row.Key.MasterID, row.Key.Nonce, row.Key.Sealed)
	if err != nil {
		return loci.ArcBinding{}, loci.WrapError(loci.Unavailable, err,
			"cannot open the Arc key of the org %s: %s", row.OrgID, err)
	}
	return loci.ArcBinding{URL: row.URL, Database: row.Database, Measurement: row.Measurement, Key: key}, nil
}

// Arc returns the binding of the org, or NotFound.
func (s *Service) Arc(ctx context.Context, p loci.Principal) (ArcView, error) {
	if err := s.Begin(ctx, p, ArcRead); err != nil {
		return ArcView{}, err
	}
	row, err := s.Store.ArcBindings().Get(ctx, p.OrgID)
	if err != nil {
		return ArcView{}, err
	}
	return s.viewArc(row), nil
}

func (s *Service) viewArc(row store.ArcBinding) ArcView {
	v := ArcView{OrgID: row.OrgID, URL: row.URL, Database: row.Database, Measurement: row.Measurement,
		MasterID: row.Key.MasterID, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, Key: "cannot be opened"}
	if b, err := Unseal(s.o.Master, row); err == nil {
		v.Key = masked(b.Key.Reveal())
	}
	return v
}

// masked shows enough of a key to recognise it.
func masked(key string) string {
	const ends = 4
	if len(key) < 4*ends {
		return strings.Repeat("*", 8)
	}
	return key[:ends] + strings.Repeat("*", 8) + key[len(key)-ends:]
}

// UpdateArc changes the binding of the org, effective with the next call of each process. Events that
// Arc has not confirmed go to the new place. It fails with Invalid, with NotFound, and with Unavailable
// if the key isn't changed and can't be opened.
func (s *Service) UpdateArc(ctx context.Context, p loci.Principal, c ArcChange) (ArcView, error) {
	if err := s.Begin(ctx, p, ArcSet); err != nil {
		return ArcView{}, err
	}
	if err := s.Record(ctx, p, ArcSet, string(p.OrgID)); err != nil {
		return ArcView{}, err
	}
	now := s.Time()
	row, err := s.Store.ArcBindings().Update(ctx, p.OrgID, func(row *store.ArcBinding) error {
		b := loci.ArcBinding{URL: row.URL, Database: row.Database, Measurement: row.Measurement}
		if c.Key == nil {
			var err error
			if b, err = Unseal(s.o.Master, *row); err != nil {
				return err
			}
		}
		c.apply(&b)
		next, err := s.sealed(p.OrgID, b, *row)
		next.UpdatedAt = now
		*row = next
		return err
	})
	if err != nil {
		return ArcView{}, err
	}
	return s.viewArc(row), nil
}

// RemoveArc removes the binding of the org. Events in Arc stay there. It fails with NotFound, and with
// Conflict while the org keeps its events in Arc.
func (s *Service) RemoveArc(ctx context.Context, p loci.Principal, inArc func(loci.Org) bool) error {
	if err := s.Begin(ctx, p, ArcSet); err != nil {
		return err
	}
	org, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return err
	}
	if inArc(org) {
		return loci.Errorf(loci.Conflict, "cannot remove the Arc of the org %s: its events are there; first run "+
			"loci org set %s events=embedded", p.OrgID, p.OrgID)
	}
	if err := s.Record(ctx, p, ArcSet, string(p.OrgID)); err != nil {
		return err
	}
	return s.Store.ArcBindings().Delete(ctx, p.OrgID)
}

// Reseal seals the keys of all bindings with another master key, all of them or none, and returns their
// number. It fails with Unavailable for a key that the present master keys don't open.
func (s *Service) Reseal(ctx context.Context, p loci.Principal, to *seal.Key) (int, error) {
	if err := s.Begin(ctx, p, MasterRotate); err != nil {
		return 0, err
	}
	if err := s.Record(ctx, p, MasterRotate, to.ID()); err != nil {
		return 0, err
	}
	now := s.Time()
	master := append(seal.Ring{to}, s.o.Master...)
	return s.Store.ArcBindings().UpdateAll(ctx, func(row *store.ArcBinding) error {
		b, err := Unseal(master, *row)
		if err != nil {
			return err
		}
		row.Key.MasterID, row.Key.Nonce, row.Key.Sealed, err = master.Seal(row.OrgID, b.Key)
		row.UpdatedAt = now
		return err
	})
}
