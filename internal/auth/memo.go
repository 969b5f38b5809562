package auth

import (
	"bytes"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memo"
	"github.com/loci-memory/loci/internal/store"
)

// maxMemo limits how many rows of a kind are kept that each request reads.
const maxMemo = 4096

// kept are rows as long as their stamp is the same: nobody, in any process, has changed them since. So a revocation
// takes effect with the next request.
type kept[K comparable, V any] = memo.Memo[K, store.Stamp, V]

// read returns the value of key, from fn if necessary. stamp is of where fn reads.
func read[K comparable, V any](m *kept[K, V], stamp store.Stamp, ok bool, key K, fn func() (V, error)) (V, error) {
	if ok {
		if value, known := m.Get(key, stamp); known {
			return value, nil
		}
	}
	value, err := fn()
	if err == nil && ok {
		m.Put(key, stamp, value, 1)
	}
	return value, err
}

// memberKey is a person of an org, with or without their workspaces.
type memberKey struct {
	org        loci.OrgID
	user       loci.UserID
	workspaces bool
}

type memberRows struct {
	user       loci.User
	workspaces []loci.Workspace
}

// memberOf reads a person of an org, and their workspaces if the org uses any.
func (a *Authenticator) memberOf(ctx context.Context, org *loci.Org, user loci.UserID) (memberRows, error) {
	key := memberKey{org.ID, user, org.Workspaces}
	stamp, ok := a.o.Store.PeopleStamp(ctx, org.ID)
	return read(a.members, stamp, ok, key, func() (rows memberRows, err error) {
		err = a.o.Store.View(ctx, org.ID, func(tx store.Tx) (err error) {
			if rows.user, err = tx.Users().Get(ctx, user); err != nil || !key.workspaces {
				return err
			}
			rows.workspaces, err = tx.Workspaces().Of(ctx, user)
			return err
		})
		return rows, err
	})
}

// credential reads a credential and its org.
func (a *Authenticator) credential(ctx context.Context, hash [32]byte) (store.Found, error) {
	stamp, ok := a.o.Store.Stamp(ctx, "")
	return read(a.credentials, stamp, ok, hash, func() (store.Found, error) {
		c, err := a.o.Store.Credentials().ByHash(ctx, hash)
		c.Rights, c.ProjectIDs = slices.Clip(c.Rights), slices.Clip(c.ProjectIDs) // appending to them copies them
		return c, err
	})
}

// org reads an org.
func (a *Authenticator) org(ctx context.Context, id loci.OrgID) (loci.Org, error) {
	stamp, ok := a.o.Store.Stamp(ctx, "")
	return read(a.orgs, stamp, ok, id, func() (loci.Org, error) { return a.o.Store.Orgs().Get(ctx, id) })
}

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
	members := a.o.Store.ProjectMembers()
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
