package auth

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// maxCached bounds what a projectCache holds: ids, of 16 bytes, and an entry
// counts as entryIDs of them.
const (
	maxCached = 1 << 20
	entryIDs  = 8
)

// projectCache keeps the lists of who belongs to which project, each for as long
// as Org.ProjectsVersion says that it holds. It is safe for concurrent use. The lists are
// shared, so nobody may change one.
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

// get returns the list that holds for org, from st if need be. The version was read before
// the list is, so a list can only be newer than its version says, and is then read again.
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
	ids = slices.Clip(ids) // who appends to it gets a copy
	c.put(key, projectsEntry{org.ProjectsVersion, ids})
	return ids, nil
}

func (c *projectCache) put(key projectsKey, e projectsEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(key)
	for other := range c.of { // any: those in use come back at their next request
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

// projectsOf returns what p reaches in its workspace: of the projects of the person, those that the
// credential is limited to. The operator who acts for nobody in
// particular is in all.
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
