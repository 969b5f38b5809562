package auth

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// maxCached limits the size of a projectCache, in ids of 16 bytes. An entry counts as entryIDs ids.
const (
	maxCached = 1 << 20
	entryIDs  = 8
)

// projectCache caches the lists of who belongs to which project. Each is valid as long as Org.ProjectsVersion stays
// the same. It is safe for concurrent use. Nobody may change the lists, because they are shared.
type projectCache struct {
	mu   sync.RWMutex
	size int
	of   map[projectsKey]projectsEntry
}

type projectsKey struct {
	org  loci.OrgID
	user loci.UserID      // zero: all projects of the org
	in   loci.WorkspaceID // zero: of all workspaces
}

type projectsEntry struct {
	version int64
	ids     []loci.ProjectID
}

// get returns the valid list for org, from st if necessary. The version is read before the list. So
// a list can only be newer than its version, and is then read again.
func (c *projectCache) get(ctx context.Context, st store.Store, org *loci.Org, user loci.UserID, in loci.WorkspaceID) (
	[]loci.ProjectID, error) {
	key := projectsKey{org.ID, user, in}
	c.mu.RLock()
	entry, ok := c.of[key]
	c.mu.RUnlock()
	if ok && entry.version == org.ProjectsVersion {
		return entry.ids, nil
	}
	read := func() ([]loci.ProjectID, error) { return st.ProjectMembers().Of(ctx, org.ID, user, in) }
	if user.IsZero() {
		read = func() ([]loci.ProjectID, error) { return st.ProjectMembers().All(ctx, org.ID, in) }
	}
	ids, err := read()
	if err != nil {
		return nil, err
	}
	ids = slices.Clip(ids) // appending to it copies it
	c.put(key, projectsEntry{org.ProjectsVersion, ids})
	return ids, nil
}

func (c *projectCache) put(key projectsKey, e projectsEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(key)
	for other := range c.of { // any; those in use come back with their next request
		if c.size+len(e.ids)+entryIDs <= maxCached {
			break
		}
		c.drop(other)
	}
	if c.of == nil {
		c.of = map[projectsKey]projectsEntry{}
	}
	c.of[key] = e
	c.size += len(e.ids) + entryIDs
}

func (c *projectCache) drop(key projectsKey) {
	if e, ok := c.of[key]; ok {
		c.size -= len(e.ids) + entryIDs
		delete(c.of, key)
	}
}

// projectsOf returns the projects that p reaches in its workspace: the person's projects, limited
// to those of the credential. An operator who acts for no particular person reaches all.
func (a *Authenticator) projectsOf(ctx context.Context, org *loci.Org, p *loci.Principal) ([]loci.ProjectID, error) {
	user := p.UserID
	if p.AllProjects {
		user = loci.UserID{}
	}
	ids, err := a.projects.get(ctx, a.store, org, user, p.WorkspaceID)
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
