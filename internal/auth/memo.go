package auth

import (
	"context"
	"slices"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// maxMemo limits the entries of a memo. Those in use come back with their next request.
const maxMemo = 4096

// memo keeps rows that each request reads. An entry is valid only as long as nobody, in any
// process, has committed since it was read. So a revocation takes effect with the next request. It
// is safe for concurrent use. Nobody may change the values, because they are shared.
type memo[K comparable, V any] struct {
	mu sync.RWMutex
	of map[K]memoEntry[V]
}

type memoEntry[V any] struct {
	stamp store.Stamp
	value V
}

// get returns the value of key, from read if necessary. org is where read reads; "" is the
// registry. The stamp is taken before read, so a value can only be newer than its stamp.
func (c *memo[K, V]) get(ctx context.Context, st store.Store, org loci.OrgID, key K, read func() (V, error)) (
	V, error) {
	stamp, ok := st.Stamp(ctx, org)
	if ok {
		c.mu.RLock()
		entry, known := c.of[key]
		c.mu.RUnlock()
		if known && entry.stamp == stamp {
			return entry.value, nil
		}
	}
	value, err := read()
	if err == nil && ok {
		c.put(key, memoEntry[V]{stamp, value})
	}
	return value, err
}

func (c *memo[K, V]) put(key K, e memoEntry[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || len(c.of) >= maxMemo {
		c.of = map[K]memoEntry[V]{}
	}
	c.of[key] = e
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
	return a.members.get(ctx, a.store, org.ID, key, func() (rows memberRows, err error) {
		err = a.store.View(ctx, org.ID, func(tx store.Tx) (err error) {
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
	return a.credentials.get(ctx, a.store, "", hash, func() (store.Found, error) {
		c, err := a.store.Credentials().ByHash(ctx, hash)
		c.Rights, c.ProjectIDs = slices.Clip(c.Rights), slices.Clip(c.ProjectIDs) // appending to them copies them
		return c, err
	})
}

// org reads an org.
func (a *Authenticator) org(ctx context.Context, id loci.OrgID) (loci.Org, error) {
	return a.orgs.get(ctx, a.store, "", id, func() (loci.Org, error) { return a.store.Orgs().Get(ctx, id) })
}
