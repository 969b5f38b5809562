package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// refusals collects the reasons why items are rejected.
type refusals struct {
	items   []loci.ItemError
	missing int // how many of these are unknown names
}

// suggests reports whether an unknown name still gets suggestions.
func (f *refusals) suggests() bool { return f.missing < store.MaxSuggested }

// add records why item i is rejected. It returns err if that is a failure and not a rejection.
func (f *refusals) add(i int, err error, nearest ...string) error {
	if loci.CodeOf(err) == "" {
		return err
	}
	if loci.CodeOf(err) == loci.NotFound {
		f.missing++
	}
	f.items = append(f.items, loci.ItemError{Index: i, Code: loci.CodeOf(err), Text: loci.SafeText(err), Nearest: nearest})
	return nil
}

func (f *refusals) err() error {
	if len(f.items) == 0 {
		return nil
	}
	return &loci.ItemsError{Items: f.items}
}

// mayEnter rejects a viewer who is not in the project.
func (tx *GraphTx) mayEnter(v loci.Viewer) error {
	if !v.InProject(&tx.p) {
		return loci.NoSuchProject()
	}
	return nil
}

func (tx *GraphTx) time() time.Time { return tx.now().UTC().Truncate(loci.GraphTime) }

// maxAlike is how many names that are alike Create returns for one entity.
const maxAlike = 10

func (n entities) Create(_ context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.NewEntity) (
	[]store.PutEntity, error) {
	if err := n.mayEnter(v); err != nil {
		return nil, err
	}
	out := make([]store.PutEntity, len(items))
	for i, item := range items {
		var err error
		if out[i], err = n.putEntity(v, by, item); err == nil && out[i].Created && i < store.MaxAlike {
			out[i].Alike, err = n.alike(v, item.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, n.loadPut(v, out)
}

// loadPut loads what Create returns. The content of a new entity is already known.
func (tx *GraphTx) loadPut(v loci.Viewer, out []store.PutEntity) error {
	list := make([]loci.Entity, len(out))
	puts := make(map[loci.EntityID][]int, len(out))
	for i := range out {
		list[i] = out[i].Entity
		puts[list[i].ID] = append(puts[list[i].ID], i)
	}
	err := tx.loadBy(v, list, func(e *loci.Entity, room int) (size int, fits bool, err error) {
		of := puts[e.ID]
		put := &out[of[0]]
		if !put.Created || len(of) > 1 {
			return tx.fill(v, e, room)
		}
		e.Observations, e.Relations = []loci.Observation{}, []loci.Relation{}
		if v.SeesGraph(&tx.p, &e.GraphAccess, loci.LiveOnly) { // the stored one is the same
			e.Observations = append(e.Observations, put.Added...)
		}
		for _, o := range e.Observations {
			size += sizeOfObservation(&o)
		}
		return size, len(e.Observations) <= store.MaxEntityRows, nil
	})
	for i := range out {
		out[i].Entity = list[i]
	}
	return err
}

func (n entities) putEntity(v loci.Viewer, by loci.GraphAccess, item loci.NewEntity) (put store.PutEntity, err error) {
	same, err := n.named(v, item.EntityRef, 1)
	if err != nil {
		return put, err
	}
	if len(same) > 0 {
		put.Entity = same[0]
		put.Added, _, err = n.observe(v, by, &put.Entity, item.Observations)
		return put, err
	}
	now := n.time()
	put = store.PutEntity{Created: true,
		Entity: loci.Entity{ID: loci.NewEntityID(), Name: item.Name, Type: item.Type, GraphAccess: by, CreatedAt: now,
			UpdatedAt: now}}
	if err = n.storeEntity(&put.Entity); err == nil {
		put.Added, err = n.insertObservations(by, put.Entity.ID, loci.Unique(item.Observations))
	}
	return put, err
}

// alike returns other visible names that look like this one.
func (n entities) alike(v loci.Viewer, name string) ([]string, error) {
	var q Query
	q.Add("SELECT e.name FROM entities e WHERE {graph e} e.hash = ? AND e.name <> ? AND ", NameHash(name), name)
	n.Sees(&q, v, "e", loci.LiveOnly)
	q.Add(" ORDER BY e.seq DESC LIMIT ?", maxAlike)
	return all(n.c, q.String(), q.Args, func(r Row) (string, error) { return r.Text(0), nil })
}

// NameHash returns the hash of an entity: that of its name without what loci.TwinHint ignores.
func NameHash(name string) int64 { return GraphHash(loci.Look(name)) }

// GraphHash returns a hash that is equal for rows with the same content. The hash is short, so
// rows with the same hash still have to be compared.
func GraphHash(parts ...string) int64 {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00"))) // no text has a NUL
	return int64(binary.BigEndian.Uint64(sum[:]))
}

func (tx *GraphTx) storeEntity(e *loci.Entity) error {
	return tx.c.Exec("INSERT INTO entities ({graph} id, name, entity_type, created_at, updated_at, user_id, origin, "+
		"allowed_vendors, hash, secrets_kept) VALUES ({graph ?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		e.ID.String(), e.Name, e.Type, ISO(e.CreatedAt), ISO(e.UpdatedAt), e.UserID.String(), e.Origin,
		ToJSON(e.AllowedVendors), NameHash(e.Name), e.SecretsKept)
}

func (tx *GraphTx) insertObservations(by loci.GraphAccess, entity loci.EntityID, texts []string) (
	[]loci.Observation, error) {
	var list []loci.Observation
	for _, text := range texts {
		list = append(list, loci.Observation{ID: loci.NewObservationID(), EntityID: entity, Content: text, GraphAccess: by,
			CreatedAt: tx.time()})
	}
	return list, tx.storeObservations(list)
}

// maxTogether is how many observations one statement stores at most.
const maxTogether = 64

// storeObservations uses few statements, because each one makes the full-text table write out the pending data of the
// ones before. It stores in powers of two, to keep the number of statement texts small.
func (tx *GraphTx) storeObservations(list []loci.Observation) error {
	for len(list) > 0 {
		n := 1
		for 2*n <= min(len(list), maxTogether) {
			n *= 2
		}
		var q Query
		q.Add("INSERT INTO observations ({graph} id, entity_id, created_at, user_id, origin, allowed_vendors, hash, " +
			"content, secrets_kept) VALUES")
		for i := range list[:n] {
			o, separator := &list[i], ", "
			if i == 0 {
				separator = " "
			}
			entity := o.EntityID.String()
			q.Add(separator+"({graph ?} ?, ?, ?, ?, ?, ?, ?, ?, ?)", o.ID.String(), entity, ISO(o.CreatedAt), o.UserID.String(),
				o.Origin, ToJSON(o.AllowedVendors),
				GraphHash(entity, o.Content), o.Content, o.SecretsKept)
		}
		if err := tx.c.Exec(q.String(), q.Args...); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func (tx *GraphTx) storeRelation(r *loci.Relation) error {
	from, to := r.FromID.String(), r.ToID.String()
	return tx.c.Exec("INSERT INTO relations ({graph} id, from_entity, to_entity, relation_type, created_at, user_id, "+
		"origin, allowed_vendors, hash, secrets_kept) VALUES ({graph ?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		r.ID.String(), from, to, r.Type, ISO(r.CreatedAt), r.UserID.String(), r.Origin, ToJSON(r.AllowedVendors),
		GraphHash(from, to, r.Type), r.SecretsKept)
}

// sameObservations selects the live visible observations of an entity with the same text.
func (tx *GraphTx) sameObservations(q *Query, v loci.Viewer, entity, text string) {
	q.Add("SELECT "+observationColumns+" FROM observations o WHERE {graph o} o.hash = ? AND o.entity_id = ? AND "+
		"o.content = ? AND ", GraphHash(entity, text), entity, text)
	tx.Sees(q, v, "o", loci.LiveOnly)
	q.Add(" ORDER BY o.seq")
}

// observe adds the observations that the viewer does not see on the entity yet. A duplicate that
// the viewer cannot see does not count: rejecting it would reveal it.
func (tx *GraphTx) observe(v loci.Viewer, by loci.GraphAccess, e *loci.Entity, contents []string) (
	added, known []loci.Observation, err error) {
	var news []string
	for _, text := range loci.Unique(contents) {
		var q Query
		tx.sameObservations(&q, v, e.ID.String(), text)
		q.Add(" LIMIT 1")
		there, err := all(tx.c, q.String(), q.Args, scanObservation)
		if err != nil {
			return nil, nil, err
		}
		if len(there) > 0 {
			known = append(known, there[0])
		} else {
			news = append(news, text)
		}
	}
	if added, err = tx.insertObservations(by, e.ID, news); err != nil {
		return nil, nil, err
	}
	if len(added) > 0 && loci.Covers(by.AllowedVendors, e.AllowedVendors) {
		e.UpdatedAt = tx.time()
		err = tx.touch(e.ID.String())
	}
	return added, known, err
}

// touch sets the time of the last change of an entity. The caller must make sure that everyone
// who sees the entity also sees the change, because the time reveals that there was one.
func (tx *GraphTx) touch(entity string) error {
	return tx.c.Exec("UPDATE entities SET updated_at = ? WHERE {graph entities} id = ?", ISO(tx.time()), entity)
}

// resolve finds the one entity that a reference means. If there are duplicates, it returns the
// oldest. Only someone who sees the private rows of several vendors sees duplicates.
func (tx *GraphTx) resolve(v loci.Viewer, ref loci.EntityRef, suggest bool) (
	e loci.Entity, nearest []string, err error) {
	list, err := tx.oneOfEachType(v, ref)
	if err != nil {
		return e, nil, err
	}
	if len(list) == 0 {
		if suggest {
			nearest, err = tx.suggest(v, ref.Name, 3)
		}
		if err != nil {
			return e, nil, err
		}
		return e, nearest, noEntityNamed(ref.Name, nearest)
	}
	if len(list) > 1 {
		return e, nil, loci.Errorf(loci.Conflict, "several entities are named %q, with types %q and %q; specify the type",
			loci.OneLine(ref.Name), loci.OneLine(list[0].Type), loci.OneLine(list[1].Type))
	}
	return list[0], nil, nil
}

// oneOfEachType returns the oldest entity with a name, and one of another type if there is one.
func (tx *GraphTx) oneOfEachType(v loci.Viewer, ref loci.EntityRef) ([]loci.Entity, error) {
	list, err := tx.meant(v, ref, 1)
	if err != nil || len(list) == 0 || ref.Type != "" {
		return list, err
	}
	others, err := tx.entities(v, loci.LiveOnly, "e.name = ? AND e.entity_type <> ? ORDER BY e.seq LIMIT 1",
		list[0].Name, list[0].Type)
	return append(list, others...), err
}

func noEntityNamed(name string, nearest []string) error {
	text := fmt.Sprintf("there is no entity %q", loci.OneLine(name))
	for i, s := range nearest {
		text += map[bool]string{true: "; did you mean ", false: ", "}[i == 0] + fmt.Sprintf("%q", loci.OneLine(s))
	}
	if len(nearest) > 0 {
		text += "?"
	}
	return loci.Errorf(loci.NotFound, "%s", text)
}

func (n entities) Observe(_ context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.Contents) (
	[]store.Observed, error) {
	if err := n.mayEnter(v); err != nil {
		return nil, err
	}
	bad := refusals{}
	out := make([]store.Observed, len(items))
	for i, item := range items {
		e, nearest, err := n.resolve(v, item.Entity, bad.suggests())
		if err == nil {
			out[i].Entity = loci.EntityRef{Name: e.Name, Type: e.Type}
			out[i].Added, out[i].Duplicates, err = n.observe(v, by, &e, item.Contents)
		}
		if err != nil {
			if err := bad.add(i, err, nearest...); err != nil {
				return nil, err
			}
		}
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	return out, nil
}

func (n entities) Relate(_ context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.NewRelation) (
	[]store.PutRelation, error) {
	if err := n.mayEnter(v); err != nil {
		return nil, err
	}
	bad := refusals{}
	out := make([]store.PutRelation, len(items))
	for i, item := range items {
		var nearest []string
		var err error
		if out[i], nearest, err = n.relate(v, by, item, bad.suggests()); err != nil {
			if err := bad.add(i, err, nearest...); err != nil {
				return nil, err
			}
		}
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	return out, nil
}

func (tx *GraphTx) relate(v loci.Viewer, by loci.GraphAccess, item loci.NewRelation, suggest bool) (
	put store.PutRelation, nearest []string, err error) {
	from, nearest, err := tx.resolve(v, item.From, suggest)
	if err != nil {
		return put, nearest, err
	}
	to, nearest, err := tx.resolve(v, item.To, suggest)
	if err != nil {
		return put, nearest, err
	}
	var q Query
	tx.sameRelations(&q, v, from.ID.String(), item.Type, to.ID.String())
	q.Add(" LIMIT 1")
	same, err := all(tx.c, q.String(), q.Args, scanRelation)
	if err != nil || len(same) > 0 {
		if err == nil {
			put.Relation = same[0]
		}
		return put, nil, err
	}
	r := loci.Relation{ID: loci.NewRelationID(), FromID: from.ID, ToID: to.ID, From: from.Name, To: to.Name,
		Type: item.Type, GraphAccess: by, CreatedAt: tx.time()}
	return store.PutRelation{Relation: r, Created: true}, nil, tx.storeRelation(&r)
}

// sameRelations selects the live visible relations that are the same.
func (tx *GraphTx) sameRelations(q *Query, v loci.Viewer, from, kind, to string) {
	q.Add("SELECT "+relationColumns+" FROM "+fromRelations+" WHERE {graph r} r.hash = ? AND r.from_entity = ? AND "+
		"r.to_entity = ? AND r.relation_type = ? AND ",
		GraphHash(from, to, kind), from, to, kind)
	tx.seesRelation(q, v, loci.LiveOnly)
	q.Add(" ORDER BY r.seq")
}
