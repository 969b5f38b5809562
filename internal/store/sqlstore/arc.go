package sqlstore

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type arcBindings struct{ *Registry }

const arcColumns = "b.org_id, b.url, b.database, b.measurement, b.master_id, b.key_nonce, b.key_sealed, " +
	"b.created_at, b.updated_at"

func scanArc(r Row) store.ArcBinding {
	return store.ArcBinding{OrgID: loci.OrgID(r.Text(0)), URL: r.Text(1), Database: r.Text(2), Measurement: r.Text(3),
		Key: store.SealedKey{MasterID: r.Text(4), Nonce: append([]byte(nil), r.Raw(5)...),
			Sealed: append([]byte(nil), r.Raw(6)...)},
		CreatedAt: TimeAt(r, 7), UpdatedAt: TimeAt(r, 8)}
}

// Insert checks that the org exists in the same transaction, because a deleted org keeps its row.
func (a arcBindings) Insert(ctx context.Context, b store.ArcBinding) error {
	err := a.db.Update(ctx, func(c Conn) error {
		found, err := c.One("SELECT 1 FROM orgs WHERE {global orgs} id = ? AND state IN "+OpenStates,
			Args{string(b.OrgID)}, func(Row) error { return nil })
		if err = orMissing(found, err, NoOrg); err != nil {
			return err
		}
		return c.Exec("INSERT INTO arc_bindings ({global} org_id, url, database, measurement, master_id, key_nonce, "+
			"key_sealed, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", string(b.OrgID), b.URL, b.Database,
			b.Measurement, b.Key.MasterID, b.Key.Nonce, b.Key.Sealed, b.CreatedAt.UnixMicro(), b.UpdatedAt.UnixMicro())
	})
	if errors.Is(err, a.d.Unique) {
		return loci.Errorf(loci.Conflict, "the org %s has an Arc already; change it with loci org update-arc", b.OrgID)
	}
	return err
}

func (a arcBindings) Get(ctx context.Context, org loci.OrgID) (b store.ArcBinding, err error) {
	err = a.db.View(ctx, func(c Conn) (err error) {
		b, err = a.get(c, org)
		return err
	})
	return b, err
}

func (arcBindings) get(c Conn, org loci.OrgID) (b store.ArcBinding, err error) {
	found, err := c.One("SELECT "+arcColumns+" FROM arc_bindings b WHERE {global b} b.org_id = ?", Args{string(org)},
		func(r Row) error { b = scanArc(r); return nil })
	return b, orMissing(found, err, func() error { return noArc(org) })
}

func noArc(org loci.OrgID) error {
	return loci.Errorf(loci.NotFound, "the org %s has no Arc; add one with loci org add-arc", org)
}

func (a arcBindings) List(ctx context.Context) (list []store.ArcBinding, err error) {
	err = a.db.View(ctx, func(c Conn) (err error) {
		list, err = a.list(c)
		return err
	})
	return list, err
}

func (arcBindings) list(c Conn) (list []store.ArcBinding, err error) {
	return each(c, "SELECT "+arcColumns+" FROM arc_bindings b WHERE {global b} TRUE ORDER BY b.org_id", nil, scanArc)
}

func (a arcBindings) Update(ctx context.Context, org loci.OrgID, change func(*store.ArcBinding) error) (
	b store.ArcBinding, err error) {
	err = a.db.Update(ctx, func(c Conn) error {
		if b, err = a.get(c, org); err != nil {
			return err
		}
		return a.change(c, &b, change)
	})
	if err != nil {
		return store.ArcBinding{}, err
	}
	return b, nil
}

func (a arcBindings) UpdateAll(ctx context.Context, change func(*store.ArcBinding) error) (n int, err error) {
	err = a.db.Update(ctx, func(c Conn) error {
		list, err := a.list(c)
		if err != nil {
			return err
		}
		for i := range list {
			if err := a.change(c, &list[i], change); err != nil {
				return err
			}
		}
		n = len(list)
		return nil
	})
	return n, err
}

func (arcBindings) change(c Conn, b *store.ArcBinding, change func(*store.ArcBinding) error) error {
	org := b.OrgID
	if err := change(b); err != nil {
		return err
	}
	b.OrgID = org
	return c.Exec("UPDATE arc_bindings SET url = ?, database = ?, measurement = ?, master_id = ?, key_nonce = ?, "+
		"key_sealed = ?, updated_at = ? WHERE {global arc_bindings} org_id = ?", b.URL, b.Database, b.Measurement,
		b.Key.MasterID, b.Key.Nonce, b.Key.Sealed, b.UpdatedAt.UnixMicro(), string(org))
}

func (a arcBindings) Delete(ctx context.Context, org loci.OrgID) error {
	n, err := a.exec(ctx, "DELETE FROM arc_bindings WHERE {global arc_bindings} org_id = ?", string(org))
	return orMissing(n > 0, err, func() error { return noArc(org) })
}
