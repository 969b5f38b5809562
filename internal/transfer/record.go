package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

type kind struct {
	name  string
	there bool
	check func() error
}

func (r *record) kinds() []kind {
	return []kind{{"agent", r.Agent != nil, r.checkAgent}, {"project", r.Project != nil, r.checkProject},
		{"event", r.Event != nil, r.checkEvent}, {"session", r.Session != nil, r.checkSession},
		{"task", r.Task != nil, r.checkTask}, {"memory", r.Memory != nil, r.checkMemory},
		{"blob", r.Blob != nil, r.Blob.check}, {"node", r.Node != nil, r.checkNode},
		{"suggestion", r.Suggestion != nil, r.checkSuggestion}, {"golden", r.Golden != nil, r.checkGolden},
		{"golden_run", r.GoldenRun != nil, r.checkGoldenRun}, {"note", r.Note != nil, r.checkNote},
		{"candidate", r.Candidate != nil, r.checkCandidate}, {"entity", r.Entity != nil, r.checkRow},
		{"observation", r.Observation != nil, r.checkRow}, {"relation", r.Relation != nil, r.checkRow},
		{"end", r.End != nil, func() error { return nil }}}
}

// kind returns the first of its kinds that a record has.
func (r *record) kind() kind {
	kinds := r.kinds()
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.there })]
}

func parseRecord(line []byte) (*record, error) {
	if err := loci.CheckJSON(line); err != nil {
		return nil, err
	}
	var r record
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return nil, loci.WrapError(loci.Invalid, err, "not a record of an export: %s", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, loci.Errorf(loci.Invalid, "each line must have one record; there is more text after it")
	}
	return &r, r.check()
}

// check brings a record into the form in which its rows are stored. It rejects values that exceed
// a limit or that only the server sets.
func (r *record) check() error {
	var names []string
	var there []kind
	for _, k := range r.kinds() {
		if names = append(names, k.name); k.there {
			there = append(there, k)
		}
	}
	switch {
	case len(there) != 1:
		return loci.Errorf(loci.Invalid, "the record has %d of %s instead of one", len(there), strings.Join(names, ", "))
	case r.Memory == nil && len(r.Versions)+len(r.Sources)+len(r.Assets) > 0, r.Node == nil && len(r.Items) > 0,
		r.Candidate == nil && len(r.Before) > 0, r.Access() == nil && !r.In.IsZero():
		return loci.Errorf(loci.Invalid, "the record has parts that belong to another kind of record")
	}
	return there[0].check()
}

// candidates returns the candidate of a record as it was and as it is, oldest first.
func (r *record) candidates() []*loci.Candidate {
	if r.Candidate == nil {
		return nil
	}
	return append(slices.Clone(r.Before), r.Candidate)
}

// refs are the fields of a record that mean something in one org only.
type refs struct {
	orgs     []*loci.OrgID
	users    []*loci.UserID // the first one is the owner
	spaces   []*loci.WorkspaceID
	teams    []*loci.TeamID
	works    []*loci.EventAccess // each has a team, too
	projects []*loci.ProjectID
	agents   []*loci.AgentID
}

func (f *refs) owner(org *loci.OrgID, user *loci.UserID) {
	f.orgs, f.users = append(f.orgs, org), append(f.users, user)
}

func (f *refs) access(a *loci.Access) {
	f.owner(&a.OrgID, &a.UserID)
	f.spaces, f.teams = append(f.spaces, &a.WorkspaceID), append(f.teams, &a.TeamID)
	f.projects, f.agents = append(f.projects, &a.ProjectID), append(f.agents, &a.AgentID)
}

func (f *refs) work(a *loci.EventAccess) {
	f.owner(&a.OrgID, &a.UserID)
	f.spaces, f.works, f.projects = append(f.spaces, &a.WorkspaceID), append(f.works, a), append(f.projects, &a.ProjectID)
}

func (r *record) refs() (f refs) {
	switch {
	case r.Memory != nil:
		f.access(&r.Memory.Access)
	case r.Node != nil:
		f.access(&r.Node.Access)
	case r.Event != nil:
		f.work(&r.Event.EventAccess)
		f.agents = append(f.agents, &r.Event.AgentID)
	case r.Session != nil:
		f.work(&r.Session.EventAccess)
		f.agents = append(f.agents, &r.Session.AgentID)
	case r.Task != nil:
		f.work(&r.Task.EventAccess)
	case r.Note != nil:
		f.work(&r.Note.EventAccess)
	case r.Agent != nil:
		f.owner(&r.Agent.OrgID, &r.Agent.UserID)
	case r.Suggestion != nil:
		f.users = append(f.users, &r.Suggestion.UserID)
	case r.Golden != nil:
		f.owner(&r.Golden.OrgID, &r.Golden.UserID)
		f.spaces = append(f.spaces, &r.Golden.WorkspaceID)
	case r.GoldenRun != nil:
		f.owner(&r.GoldenRun.OrgID, &r.GoldenRun.UserID)
		f.spaces = append(f.spaces, &r.GoldenRun.WorkspaceID)
	case r.Access() != nil:
		f.users, f.projects = append(f.users, &r.Access().UserID), append(f.projects, &r.In)
	}
	for _, v := range r.Versions {
		f.access(&v.Access)
	}
	for _, c := range r.candidates() {
		if f.work(&c.EventAccess); c.Review != nil {
			f.users = append(f.users, &c.Review.UserID)
		}
	}
	for i := range r.Sources {
		f.users = append(f.users, &r.Sources[i].UserID)
	}
	for i := range r.Assets {
		f.users = append(f.users, &r.Assets[i].UserID)
	}
	for i := range r.Items {
		f.users, f.projects = append(f.users, &r.Items[i].UserID), append(f.projects, &r.Items[i].ProjectID)
	}
	return f
}

// setOwner sets the owner of a record. An export names no person and no credential. It also has no workspace and
// team: they belong to the org, so in another org the same rows would produce other bytes.
func (r *record) setOwner(org loci.OrgID, user loci.UserID) {
	f := r.refs()
	setAll(f.orgs, org)
	setAll(f.users, user)
	if org == "" {
		setAll(f.spaces, loci.WorkspaceID{})
		setAll(f.teams, loci.TeamID{})
		for _, a := range f.works {
			leaveTeam(a)
		}
	}
	if r.Memory != nil {
		r.Memory.EditorID, r.Memory.EditorCredentialID = loci.UserID{}, loci.CredentialID{}
	}
	for _, v := range r.Versions {
		v.EditorID, v.EditorCredentialID = loci.UserID{}, loci.CredentialID{}
	}
}

func setAll[T any](fields []*T, v T) {
	for _, f := range fields {
		*f = v
	}
}

// part identifies records that are stored together: events and each graph have a store of their own.
func (r *record) part() any { return [2]any{r.Event != nil, r.In} }

// leaveTeam makes what a team sees private.
func leaveTeam(a *loci.EventAccess) {
	if a.TeamID = (loci.TeamID{}); a.Reach == loci.ReachTeam {
		a.Reach = loci.ReachPrivate
	}
}
