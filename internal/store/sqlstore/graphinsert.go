package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type insertion struct {
	*GraphTx
	v              loci.Viewer
	bad            refusals
	index          int
	added, present int
}

func (n entities) Insert(_ context.Context, v loci.Viewer, rows store.GraphRows) (added, present int, err error) {
	if err := n.mayEnter(v); err != nil {
		return 0, 0, err
	}
	in := insertion{GraphTx: n.GraphTx, v: v, bad: refusals{}}
	for _, e := range rows.Entities {
		if err := in.one(in.entity(e)); err != nil {
			return 0, 0, err
		}
	}
	for _, o := range rows.Observations {
		if err := in.one(in.observation(o)); err != nil {
			return 0, 0, err
		}
	}
	for _, r := range rows.Relations {
		if err := in.one(in.relation(r)); err != nil {
			return 0, 0, err
		}
	}
	if err := in.bad.err(); err != nil {
		return 0, 0, err
	}
	return in.added, in.present, nil
}

// one counts the result for one row.
func (in *insertion) one(there bool, err error) error {
	switch {
	case err != nil:
		err = in.bad.add(in.index, err)
	case there:
		in.present++
	default:
		in.added++
	}
	in.index++
	return err
}

func (in *insertion) entity(e loci.Entity) (there bool, err error) {
	var q Query
	q.Add("SELECT "+entityColumns+" FROM entities e WHERE {graph e} e.id = ?", e.ID.String())
	same := func(old *loci.Entity) bool {
		return old.Name == e.Name && old.Type == e.Type && sameRow(&old.GraphAccess, &e.GraphAccess, old.CreatedAt,
			e.CreatedAt)
	}
	if there, err = taken(in.c, &q, scanEntity, same); there || err != nil {
		return there, err
	}
	if err := in.free(&e); err != nil {
		return false, err
	}
	return false, in.storeEntity(&e)
}

// free rejects a name and type that another entity already has, if the same vendors may read both. Duplicates that
// not all of these vendors may read are allowed: two writers who cannot see each other's entities create them.
func (in *insertion) free(e *loci.Entity) error {
	list, err := in.named(in.v, loci.EntityRef{Name: e.Name, Type: e.Type}, loci.MaxGraphItems)
	for _, other := range list {
		if loci.Covers(other.AllowedVendors, e.AllowedVendors) && loci.Covers(e.AllowedVendors, other.AllowedVendors) {
			return loci.Errorf(loci.Conflict, "an entity %q of this type exists already, with another id", loci.OneLine(e.Name))
		}
	}
	return err
}

func (in *insertion) observation(o loci.Observation) (there bool, err error) {
	var q Query
	q.Add("SELECT "+observationColumns+" FROM observations o WHERE {graph o} o.id = ?", o.ID.String())
	same := func(old *loci.Observation) bool {
		return old.EntityID == o.EntityID && old.Content == o.Content &&
			sameRow(&old.GraphAccess, &o.GraphAccess, old.CreatedAt, o.CreatedAt)
	}
	if there, err = taken(in.c, &q, scanObservation, same); there || err != nil {
		return there, err
	}
	if err := in.live(in.v, o.EntityID); err != nil {
		return false, err
	}
	return false, in.storeObservations([]loci.Observation{o})
}

func (in *insertion) relation(r loci.Relation) (there bool, err error) {
	var q Query
	q.Add("SELECT "+relationColumns+" FROM "+fromRelations+" WHERE {graph r} r.id = ?", r.ID.String())
	same := func(old *loci.Relation) bool {
		return old.FromID == r.FromID && old.ToID == r.ToID && old.Type == r.Type &&
			sameRow(&old.GraphAccess, &r.GraphAccess, old.CreatedAt, r.CreatedAt)
	}
	if there, err = taken(in.c, &q, scanRelation, same); there || err != nil {
		return there, err
	}
	for _, end := range []loci.EntityID{r.FromID, r.ToID} {
		if err := in.live(in.v, end); err != nil {
			return false, err
		}
	}
	return false, in.storeRelation(&r)
}

func sameRow(old, a *loci.GraphAccess, oldTime, t time.Time) bool {
	return old.DeletedAt.IsZero() && old.UserID == a.UserID && old.Origin == a.Origin &&
		slices.Equal(old.AllowedVendors, a.AllowedVendors) && oldTime.Equal(t)
}

// taken reports whether a row with this id exists and is the same. It returns a Conflict, which
// reveals nothing about the row, if it is different.
func taken[T any](c Conn, q *Query, scan func(Row) (T, error), same func(*T) bool) (there bool, err error) {
	list, err := all(c, q.String(), q.Args, scan)
	if err != nil || len(list) == 0 {
		return false, err
	}
	if !same(&list[0]) {
		return false, loci.Errorf(loci.Conflict, "this id is taken")
	}
	return true, nil
}
