package transfer

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
)

// clone returns a copy of a record that the caller may change, because a transaction may run
// twice.
func (r *record) clone() *record {
	c := *r
	if r.Agent != nil {
		agent := *r.Agent
		c.Agent = &agent
	}
	if r.Session != nil {
		session := *r.Session
		c.Session = &session
	}
	if r.Task != nil {
		task := *r.Task
		c.Task = &task
	}
	if r.Memory != nil {
		c.Memory = r.Memory.Clone()
	}
	if r.Node != nil {
		node := *r.Node
		c.Node = &node
	}
	if r.Suggestion != nil {
		suggestion := *r.Suggestion
		c.Suggestion = &suggestion
	}
	if r.Golden != nil {
		question := *r.Golden
		c.Golden = &question
	}
	if r.GoldenRun != nil {
		run := *r.GoldenRun
		c.GoldenRun = &run
	}
	c.Versions = make([]*loci.Version, len(r.Versions))
	for i, v := range r.Versions {
		c.Versions[i] = &loci.Version{Memory: *v.Memory.Clone(), ReplacedAt: v.ReplacedAt}
	}
	c.Sources, c.Assets, c.Items = slices.Clone(r.Sources), slices.Clone(r.Assets), slices.Clone(r.Items)
	return &c
}

// storeOne stores a record, unless it exists already.
func (im *importer) storeOne(ctx context.Context, rows *ownedRows, r *record) (isNew bool, err error) {
	for _, a := range r.accesses() {
		a.AgentID = im.agent(a.AgentID)
	}
	switch {
	case r.Agent != nil:
		return im.storeAgent(ctx, rows, *r.Agent)
	case r.Session != nil:
		r.Session.AgentID = im.agent(r.Session.AgentID)
		return im.storeSession(ctx, rows, r.Session.Session)
	case r.Task != nil:
		return im.storeTask(ctx, rows, *r.Task)
	case r.Memory != nil:
		return im.storeMemory(ctx, rows, r)
	case r.Node != nil:
		return im.storeNode(ctx, rows, r)
	case r.Golden != nil:
		return im.storeGolden(ctx, rows, *r.Golden)
	case r.GoldenRun != nil:
		return im.storeGoldenRun(ctx, rows, *r.GoldenRun)
	}
	return im.storeSuggestion(ctx, rows, *r.Suggestion)
}

// agent returns the id here of an agent in the export.
func (im *importer) agent(id loci.AgentID) loci.AgentID {
	if other, ok := im.aliases[id]; ok {
		return other
	}
	return id
}

// storeAgent stores an agent. One of the same vendor and name is the same agent. If the name belongs
// to another vendor's agent, the agent gets another name.
func (im *importer) storeAgent(ctx context.Context, rows *ownedRows, a loci.Agent) (isNew bool, err error) {
	taken := map[string]bool{}
	for _, there := range rows.agents {
		if there.ID == a.ID {
			return false, nil
		}
		if there.Vendor == a.Vendor && there.Name == a.Name {
			im.aliases[a.ID] = there.ID
			return false, nil
		}
		taken[there.Name] = true
	}
	if taken[a.Name] {
		a.Name = loci.FreeName(a.Name, func(name string) bool { return taken[name] })
	}
	if err := rows.tx.Agents().Insert(ctx, a); err != nil {
		return false, err
	}
	rows.agents = append(rows.agents, a)
	return true, nil
}

func (im *importer) storeSession(ctx context.Context, rows *ownedRows, s loci.Session) (isNew bool, err error) {
	there, err := rows.tx.Sessions().Get(ctx, rows.viewer, s.ID)
	if err == nil && there.UserID == s.UserID {
		return false, nil
	}
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		return false, err
	}
	return true, rows.tx.Sessions().Insert(ctx, s)
}

func (im *importer) storeTask(ctx context.Context, rows *ownedRows, t loci.Task) (isNew bool, err error) {
	there, err := rows.tx.Tasks().Get(ctx, rows.viewer, t.ID)
	if err == nil {
		stored := &record{Task: &there}
		stored.setOwner("", loci.UserID{})
		return false, sameRecord(stored, &record{Task: &t}, "task "+t.ID.String(), nil)
	}
	if loci.CodeOf(err) != loci.NotFound {
		return false, err
	}
	return true, rows.tx.Tasks().Insert(ctx, t)
}

func (im *importer) storeMemory(ctx context.Context, rows *ownedRows, r *record) (isNew bool, err error) {
	m := r.Memory
	there, err := rows.tx.Memories().Get(ctx, rows.viewer, m.ID, loci.AnyState)
	if err == nil {
		stored, err := rows.recordOf(ctx, there)
		return false, sameRecord(stored, r, "memory "+m.ID.String(), err)
	}
	if loci.CodeOf(err) != loci.NotFound {
		return false, err
	}
	if err := rows.tx.Memories().Insert(ctx, m); err != nil {
		return false, err
	}
	for _, v := range r.Versions {
		if err := rows.tx.Memories().InsertVersion(ctx, v); err != nil {
			return false, err
		}
	}
	for _, s := range r.Sources {
		if err := rows.tx.Sources().Insert(ctx, s); err != nil {
			return false, err
		}
	}
	for _, a := range r.Assets {
		if err := im.storeAsset(ctx, rows, a); err != nil {
			return false, err
		}
	}
	return true, nil
}

// storeAsset stores an attachment whose bytes came before it. A dry run stores no bytes, so it
// only checks whether they came.
func (im *importer) storeAsset(ctx context.Context, rows *ownedRows, a loci.Asset) error {
	if !im.o.DryRun {
		return rows.tx.Assets().Insert(ctx, a)
	}
	if im.blobs[a.SHA256] {
		return nil
	}
	sum, err := hex.DecodeString(a.SHA256)
	if err != nil {
		return err
	}
	f, err := im.app.Store.Blobs().Open(ctx, im.p.OrgID, [32]byte(sum))
	if err != nil {
		return loci.WrapError(loci.Conflict, err, "the bytes of attachment %s are neither in the import nor here", a.ID)
	}
	return f.Close()
}

func (im *importer) storeNode(ctx context.Context, rows *ownedRows, r *record) (isNew bool, err error) {
	n := r.Node
	there, err := rows.tx.MemoryNodes().Get(ctx, rows.viewer, n.ID, loci.AnyState)
	if err == nil {
		stored, err := rows.nodeRecord(ctx, there)
		return false, sameRecord(stored, r, "memory node "+n.ID.String(), err)
	}
	if loci.CodeOf(err) != loci.NotFound {
		return false, err
	}
	if err := rows.tx.MemoryNodes().Insert(ctx, n); err != nil {
		return false, err
	}
	for _, i := range r.Items {
		if !i.MemoryID.IsZero() {
			if own, err := rows.owns(ctx, i.MemoryID); err != nil || !own {
				return false, missing(err, "item %s shows memory %s, which is not here or not yours", i.ID, i.MemoryID)
			}
		}
		if err := rows.tx.MemoryNodes().InsertItem(ctx, i); err != nil {
			return false, err
		}
	}
	return true, nil
}

// missing returns err, or a Conflict with that text if err is NotFound.
func missing(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return loci.Errorf(loci.Conflict, format, args...)
}

// owns reports whether a memory belongs to the person, whatever agent it is for.
func (o *ownedRows) owns(ctx context.Context, id loci.MemoryID) (bool, error) {
	m, err := o.tx.Memories().Get(ctx, o.viewer, id, loci.AnyState)
	if loci.CodeOf(err) == loci.NotFound {
		return false, nil
	}
	return err == nil && m.UserID == o.viewer.UserID, err
}

func (im *importer) storeSuggestion(ctx context.Context, rows *ownedRows, s loci.Suggestion) (isNew bool, err error) {
	there, err := rows.tx.Suggestions().Get(ctx, rows.viewer, s.ID)
	if err == nil {
		there.UserID, s.UserID = loci.UserID{}, loci.UserID{}
		return false, sameRecord(&record{Suggestion: &there}, &record{Suggestion: &s}, "suggestion "+s.ID.String(), nil)
	}
	if loci.CodeOf(err) != loci.NotFound {
		return false, err
	}
	for _, id := range []loci.MemoryID{s.MemoryID, s.ByID} {
		if own, err := rows.owns(ctx, id); err != nil || !own {
			return false, missing(err, "memory %s of this suggestion is not here or not yours", id)
		}
	}
	if err := rows.tx.Suggestions().Insert(ctx, s); err != nil || s.State == loci.SuggestionPending {
		return true, err
	}
	return true, rows.tx.Suggestions().Settle(ctx, s.ID, s.State, s.SettledAt)
}

func (im *importer) storeGolden(ctx context.Context, rows *ownedRows, q loci.GoldenQuestion) (isNew bool, err error) {
	there, err := rows.tx.Golden().Get(ctx, rows.viewer, q.ID)
	if err == nil {
		return false, sameRecord(&record{Golden: &there}, &record{Golden: &q}, "golden question "+q.ID.String(), nil)
	}
	if loci.CodeOf(err) != loci.NotFound {
		return false, err
	}
	list, err := rows.tx.Golden().List(ctx, rows.viewer, loci.MaxGoldenQuestions)
	if err == nil && len(list) == loci.MaxGoldenQuestions {
		err = loci.Errorf(loci.Conflict, "there are %d golden questions already, which is the most; delete some first",
			loci.MaxGoldenQuestions)
	}
	if err != nil {
		return false, err
	}
	return true, rows.tx.Golden().Insert(ctx, q)
}

func (im *importer) storeGoldenRun(ctx context.Context, rows *ownedRows, run loci.GoldenRun) (isNew bool, err error) {
	there, err := rows.tx.Golden().Run(ctx, rows.viewer, run.ID)
	if err == nil {
		return false, sameRecord(&record{GoldenRun: there}, &record{GoldenRun: &run}, "run "+run.ID.String(), nil)
	}
	if loci.CodeOf(err) != loci.NotFound {
		return false, err
	}
	return true, rows.tx.Golden().InsertRun(ctx, &run)
}

// sameRecord returns a Conflict unless the stored row equals the record, byte by byte, in its
// exported form.
func sameRecord(stored, r *record, what string, err error) error {
	if err != nil {
		return err
	}
	have, err := jsonlines.Encode(stored)
	if err != nil {
		return err
	}
	r.setOwner("", loci.UserID{})
	want, err := jsonlines.Encode(r)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return loci.Errorf(loci.Conflict, "%s exists already with another text or history; it was not changed; "+
			"to have what the file says, import the file into another data directory", what)
	}
	return nil
}
