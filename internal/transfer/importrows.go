package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// storeOne stores a record, unless it exists already.
func (im *importer) storeOne(ctx context.Context, rows *ownedRows, r *record) (isNew bool, err error) {
	tx, v := rows.tx, rows.viewer
	switch {
	case r.Agent != nil:
		return true, tx.Agents().Insert(ctx, *r.Agent)
	case r.Session != nil:
		_, err := tx.Sessions().Get(ctx, v, r.Session.ID)
		return put(r, nil, err, func() error { return tx.Sessions().Insert(ctx, r.Session.Session) })
	case r.Task != nil:
		there, err := tx.Tasks().Get(ctx, v, r.Task.ID)
		return put(r, &record{Task: &there}, err, func() error {
			return cmp.Or(gate.Notice(ctx, tx, r.Task, r.Task), tx.Tasks().Insert(ctx, *r.Task))
		})
	case r.Memory != nil:
		return im.storeMemory(ctx, rows, r)
	case r.Node != nil:
		return im.storeNode(ctx, rows, r)
	case r.Golden != nil:
		return im.storeGolden(ctx, rows, r)
	case r.GoldenRun != nil:
		there, err := tx.Golden().Run(ctx, v, r.GoldenRun.ID)
		return put(r, &record{GoldenRun: there}, err,
			func() error { return tx.Golden().InsertRun(ctx, r.GoldenRun) })
	case r.Note != nil:
		_, err := tx.Reflections().Get(ctx, v, r.Note.ID)
		return put(r, nil, err, func() error { return tx.Reflections().Insert(ctx, r.Note) })
	case r.Candidate != nil:
		return im.storeCandidate(ctx, rows, r)
	}
	return im.storeSuggestion(ctx, rows, r)
}

// isNewAgent reports whether an agent is to be stored. One of the same vendor and name is the same agent. If the name
// belongs to another vendor's agent, the agent gets another name.
func (im *importer) isNewAgent(a *loci.Agent) bool {
	taken := map[string]bool{}
	for _, there := range im.agents {
		if there.ID == a.ID || there.Vendor == a.Vendor && there.Name == a.Name {
			im.aliases[a.ID] = there.ID
			return false
		}
		taken[there.Name] = true
	}
	if taken[a.Name] {
		a.Name = loci.FreeName(a.Name, func(name string) bool { return taken[name] })
	}
	im.agents = append(im.agents, *a)
	return true
}

// put stores a row with insert, unless it is there. err is that of reading it. same is the stored row, which must be
// the same; nil: it may have changed here.
func put(r *record, same *record, err error, insert func() error) (isNew bool, _ error) {
	switch {
	case err == nil && same == nil:
		return false, nil
	case err == nil:
		return false, sameRecord(same, r)
	case loci.CodeOf(err) != loci.NotFound:
		return false, err
	}
	return true, insert()
}

func (im *importer) storeMemory(ctx context.Context, rows *ownedRows, r *record) (isNew bool, err error) {
	var same *record
	there, err := rows.tx.Memories().Get(ctx, rows.viewer, r.Memory.ID, loci.AnyState)
	if err == nil {
		same, err = rows.recordOf(ctx, there)
	}
	return put(r, same, err, func() error {
		err := rows.tx.Memories().Insert(ctx, r.Memory)
		for _, v := range r.Versions {
			if err == nil {
				err = rows.tx.Memories().InsertVersion(ctx, v)
			}
		}
		for _, s := range r.Sources {
			if err == nil {
				err = rows.tx.Sources().Insert(ctx, s)
			}
		}
		for _, a := range r.Assets {
			if err == nil {
				err = im.storeAsset(ctx, rows, a)
			}
		}
		if err == nil && len(memory.SecretsIn(r.Memory)) > 0 {
			err = memory.Notice(ctx, rows.tx, r.Memory)
		}
		return err
	})
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
	var same *record
	there, err := rows.tx.MemoryNodes().Get(ctx, rows.viewer, r.Node.ID, loci.AnyState)
	if err == nil {
		same, err = rows.nodeRecord(ctx, there)
	}
	return put(r, same, err, func() error {
		err := cmp.Or(gate.Notice(ctx, rows.tx, r.Node, r.Node), rows.tx.MemoryNodes().Insert(ctx, r.Node))
		if err != nil {
			return err
		}
		for _, i := range r.Items {
			if !i.MemoryID.IsZero() {
				if own, err := rows.owns(ctx, i.MemoryID); err != nil || !own {
					return missing(err, "item %s shows memory %s, which is not here or not yours", i.ID, i.MemoryID)
				}
			}
			if err := cmp.Or(gate.Notice(ctx, rows.tx, &i, &i), rows.tx.MemoryNodes().InsertItem(ctx, i)); err != nil {
				return err
			}
		}
		return nil
	})
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

func (im *importer) storeSuggestion(ctx context.Context, rows *ownedRows, r *record) (isNew bool, err error) {
	s := r.Suggestion
	there, err := rows.tx.Suggestions().Get(ctx, rows.viewer, s.ID)
	return put(r, &record{Suggestion: &there}, err, func() error {
		for _, id := range []loci.MemoryID{s.MemoryID, s.ByID} {
			if own, err := rows.owns(ctx, id); err != nil || !own {
				return missing(err, "memory %s of this suggestion is not here or not yours", id)
			}
		}
		err := rows.tx.Suggestions().Insert(ctx, *s)
		if err == nil && s.State != loci.SuggestionPending {
			err = rows.tx.Suggestions().Settle(ctx, s.ID, s.State, s.SettledAt)
		}
		return err
	})
}

func (im *importer) storeGolden(ctx context.Context, rows *ownedRows, r *record) (isNew bool, err error) {
	there, err := rows.tx.Golden().Get(ctx, rows.viewer, r.Golden.ID)
	return put(r, &record{Golden: &there}, err, func() error {
		list, err := rows.tx.Golden().List(ctx, rows.viewer, loci.MaxGoldenQuestions)
		if err == nil && len(list) == loci.MaxGoldenQuestions {
			err = loci.Errorf(loci.Conflict, "there are %d golden questions already, which is the most; delete some first",
				loci.MaxGoldenQuestions)
		}
		if err != nil {
			return err
		}
		return rows.tx.Golden().Insert(ctx, *r.Golden)
	})
}

// storeCandidate stores a candidate with what it was, oldest first.
func (im *importer) storeCandidate(ctx context.Context, rows *ownedRows, r *record) (isNew bool, err error) {
	list := r.candidates()
	_, err = rows.tx.Candidates().Get(ctx, rows.viewer, r.Candidate.ID)
	return put(r, nil, err, func() error {
		err := rows.tx.Candidates().Insert(ctx, list[0])
		for _, c := range list[1:] {
			if err == nil {
				err = rows.tx.Candidates().Replace(ctx, c)
			}
		}
		return err
	})
}

// sameRecord returns a Conflict unless the stored row equals the record, byte by byte, in its exported form.
func sameRecord(stored, r *record) error {
	for _, one := range []*record{stored, r} {
		one.setOwner("", loci.UserID{})
	}
	have, err := jsonlines.Encode(stored)
	if err != nil {
		return err
	}
	want, err := jsonlines.Encode(r)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return loci.Errorf(loci.Conflict, "this %s exists already with another text or history; it was not changed; "+
			"to have what the file says, import the file into another data directory", r.kind().name)
	}
	return nil
}

// hereOf returns the id that something in the export has here.
func hereOf[ID comparable](others map[ID]ID, id ID) ID {
	if here, ok := others[id]; ok {
		return here
	}
	return id
}

func (im *importer) takeProject(ctx context.Context, line *projectLine) error {
	here, made, err := im.app.projects.Adopt(ctx, im.p, loci.Project{ID: line.ID, Name: line.Name,
		Description: line.Description, Status: line.Status}, im.o.DryRun)
	if isOfLine(err) {
		im.refuse(im.report.Lines, err)
		return nil
	}
	if err != nil {
		return err
	}
	im.projects[line.ID], im.dry[here.ID] = here.ID, made && im.o.DryRun
	if !slices.Contains(im.p.ProjectIDs, here.ID) {
		im.p.ProjectIDs = append(slices.Clone(im.p.ProjectIDs), here.ID)
	}
	if made {
		im.count(1, 1, 0)
	} else {
		im.count(0, 0, 1)
	}
	return nil
}

// placeCandidate replaces the ids of projects in what a candidate says about its scope.
func (im *importer) placeCandidate(c *loci.Candidate) {
	change := func(text *string) {
		var id loci.ProjectID
		if *text != "" && id.UnmarshalText([]byte(*text)) == nil {
			*text = hereOf(im.projects, id).String()
		}
	}
	if c.SuggestedScopeKey != nil {
		change(c.SuggestedScopeKey)
	}
	for i := range c.Claims {
		change(&c.Claims[i].ScopeKey)
	}
	for i := range c.Relations {
		change(&c.Relations[i].Source)
		change(&c.Relations[i].Target)
	}
}

// storeEvents stores those events that the log does not have. The log is in no transaction with the org's rows.
func (im *importer) storeEvents(ctx context.Context, batch []numbered) error {
	log, err := im.app.events.Kept(ctx, im.p)
	if err != nil {
		return err
	}
	ids := loci.Mapped(batch, func(r numbered) loci.EventID { return r.Event.ID })
	there, err := log.Get(ctx, im.p.Viewer(), ids)
	if err != nil {
		return err
	}
	var missing []*loci.Event
	for _, r := range batch {
		if !slices.ContainsFunc(there, func(e *loci.Event) bool { return e.ID == r.Event.ID }) {
			missing = append(missing, r.Event)
		}
	}
	if len(missing) > 0 && !im.o.DryRun {
		made, err := log.Append(ctx, im.p.Viewer(), missing, eventlog.Dedup{})
		if err == nil {
			err = im.app.events.Notice(ctx, im.p.OrgID, missing, made)
		}
		if err != nil {
			return err
		}
	}
	im.count(len(missing), len(missing), len(batch)-len(missing))
	return nil
}

// storeRows stores rows of one graph. A dry run that has not made what they hang on counts them as new.
func (im *importer) storeRows(ctx context.Context, batch []numbered) error {
	var rows store.GraphRows
	for _, r := range batch {
		if err := r.Line.AddTo(&rows); err != nil {
			return err
		}
	}
	in, added, present := batch[0].In, len(batch), 0
	if !im.dry[in] {
		if !slices.Contains(im.p.ProjectIDs, in) {
			return loci.Errorf(loci.Conflict, "the project of this row is not here")
		}
		var of loci.Project
		err := im.app.Store.UpdateProject(ctx, im.p.OrgID, in, func(tx store.GraphTx) (err error) {
			of = tx.Project()
			if added, present, err = tx.Entities().Insert(ctx, im.p.Viewer(), rows); err != nil {
				return err
			}
			if im.o.DryRun {
				return jsonlines.ErrDryRun
			}
			e := im.app.Entry(im.p, Import)
			e.Target, e.Count = in.String(), added
			return tx.Record(ctx, e)
		})
		switch {
		case im.o.DryRun && loci.CodeOf(err) == loci.NotFound:
			added, present = len(batch), 0
		case loci.CodeOf(err) == loci.NotFound:
			return loci.WrapError(loci.Conflict, err, "%s", loci.SafeText(err))
		case err != nil && !errors.Is(err, jsonlines.ErrDryRun):
			return err
		case err == nil:
			graph.New(im.app.Gate, nil).Notice(ctx, of, rows)
		}
	}
	im.count(added, added, present)
	return nil
}
