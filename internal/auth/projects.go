package auth

import (
	"bytes"
	"context"
	"slices"

	"github.com/loci-memory/loci"
)

// maxProjects limits the lists of who belongs to which project, in ids of 16 bytes. A list counts as entryIDs ids more.
const (
	maxProjects = 1 << 19
	entryIDs    = 8
)

type projectsKey struct {
	org  loci.OrgID
	user loci.UserID      // zero: all projects of the org
	in   loci.WorkspaceID // zero: of all workspaces
}

// listProjects returns the projects of a person, or of the org. The version of org is read before the list. So a list
// can only be newer than its version, and is then read again.
func (a *Authenticator) listProjects(ctx context.Context, org *loci.Org, user loci.UserID, in loci.WorkspaceID) (
	[]loci.ProjectID, error) {
	key := projectsKey{org.ID, user, in}
	if ids, ok := a.projects.Get(key, org.ProjectsVersion); ok {
		return ids, nil
	}
	members := a.store.ProjectMembers()
	read := func() ([]loci.ProjectID, error) { return members.Of(ctx, org.ID, user, in) }
	if user.IsZero() {
		read = func() ([]loci.ProjectID, error) { return members.All(ctx, org.ID, in) }
	}
	ids, err := read()
	if err == nil {
		ids = slices.Clip(ids) // appending to it copies it
		a.projects.Put(key, org.ProjectsVersion, ids, len(ids)+entryIDs)
	}
	return ids, err
}

// projectsOf returns the projects that p reaches in its workspace: the person's projects, limited
// to those of the credential. An operator who acts for no particular person reaches all.
func (a *Authenticator) projectsOf(ctx context.Context, org *loci.Org, p *loci.Principal) ([]loci.ProjectID, error) {
	user := p.UserID
	if p.AllProjects {
		user = loci.UserID{}
	}
	ids, err := a.listProjects(ctx, org, user, p.WorkspaceID)
	if err != nil || !p.OnlyProjects {
		return ids, err
	}
	var both []loci.ProjectID
	for _, id := range p.ProjectIDs {
		if _, in := slices.BinarySearchFunc(ids, id, compareIDs); in {
			both = append(both, id)
		}
	}
	return both, nil
}

func compareIDs(a, b loci.ProjectID) int { return bytes.Compare(a[:], b[:]) }
