package maintain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// How long Loci keeps data that is no longer used.
const (
	AuditDays      = 400 // an entry of the audit trail
	CredentialDays = 30  // a sign-in, a token or a link
	FeedDays       = 7   // an event of the feed; a reader that was away longer must start again
	RequestHours   = 24  // an answer to a request with an idempotency key
	uploadDays     = 1   // a file that is not yet attached to a memory
	SessionDays    = 30  // an unused MCP connection and its project
	PackDays       = 30  // what a session has received in a context pack
	exchangeDays   = 1   // an unused OAuth code, refresh token or client
)

// limitLife is longer than any window of a rate limit.
const limitLife = time.Hour

// purgeBatch keeps each transaction short, so that writers do not wait.
const purgeBatch = 200

// Purge permanently deletes memories and memory nodes trashed more than loci.TrashDays before now,
// in every org. It returns their number. If one org fails, it continues with the others.
func Purge(ctx context.Context, st store.Store, now time.Time) (int, error) {
	then := daysBefore(now, loci.TrashDays)
	memories, err := purgeOrgs(ctx, st,
		func(tx store.Tx) (int, error) { return tx.Memories().Purge(ctx, then, purgeBatch) })
	nodes, failed := purgeOrgs(ctx, st,
		func(tx store.Tx) (int, error) { return tx.MemoryNodes().Purge(ctx, then, purgeBatch) })
	return memories + nodes, errors.Join(err, failed)
}

// SweepBlobs deletes the files that no attachment of their org refers to, unless they were uploaded
// within a day, and the leftovers of interrupted uploads. It returns their number.
func SweepBlobs(ctx context.Context, st store.Store, now time.Time) (total int, failed error) {
	orgs, err := st.Orgs().List(ctx)
	if err != nil {
		return 0, err
	}
	for _, org := range orgs {
		n, err := st.Blobs().Sweep(ctx, org.ID, daysBefore(now, uploadDays))
		total += n
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("sweep org %s: %w", org.ID, err))
		}
	}
	return total, failed
}

// PurgeAudit deletes audit entries older than AuditDays from the trail of every org, and returns
// their number. First it gathers the entries of the projects.
func PurgeAudit(ctx context.Context, st store.Store, now time.Time) (int, error) {
	then := daysBefore(now, AuditDays)
	failed := gatherAudit(ctx, st)
	n, err := purgeOrgs(ctx, st, func(tx store.Tx) (int, error) { return tx.Audit().Purge(ctx, then, purgeBatch) })
	return n, errors.Join(failed, err)
}

// gatherAudit moves the audit entries of graphs to the trails of the orgs, so that they don't pile
// up in the projects. If one project fails, it continues with the others.
func gatherAudit(ctx context.Context, st store.Store) error {
	orgs, err := st.Orgs().List(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, org := range orgs {
		ids, err := st.ProjectMembers().All(ctx, org.ID, loci.WorkspaceID{})
		for _, id := range ids {
			err := st.Projects().GatherAudit(ctx, org.ID, id)
			if code := loci.CodeOf(err); err != nil && code != loci.NotFound && code != loci.Conflict {
				failed = errors.Join(failed, fmt.Errorf("gather the audit trail of project %s: %w", id, err))
			}
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// PurgeFeed deletes events older than FeedDays from the feed of every org, and returns their number.
func PurgeFeed(ctx context.Context, st store.Store, now time.Time) (int, error) {
	then := daysBefore(now, FeedDays)
	return purgeOrgs(ctx, st, func(tx store.Tx) (int, error) { return tx.Feed().Purge(ctx, then, purgeBatch) })
}

// PurgeRequests deletes remembered requests older than RequestHours in every org, and returns their
// number. After that, the same idempotency key counts as new.
func PurgeRequests(ctx context.Context, st store.Store, now time.Time) (int, error) {
	then := loci.CutTime(now.Add(-RequestHours * time.Hour))
	return purgeOrgs(ctx, st, func(tx store.Tx) (int, error) { return tx.Idempotency().Purge(ctx, then, purgeBatch) })
}

// PurgePacks forgets what callers received in context packs of a session if they have received nothing there for
// PackDays, in every org, and returns how many things. So nothing stays of credentials that have expired, and an
// interrupted removal is completed.
func PurgePacks(ctx context.Context, st store.Store, now time.Time) (int, error) {
	then := daysBefore(now, PackDays)
	return purgeOrgs(ctx, st, func(tx store.Tx) (int, error) { return tx.Packs().Purge(ctx, then, purgeBatch) })
}

// ExpireSessions closes the active sessions of every org in which nobody has worked for idle, and
// returns their number.
func ExpireSessions(ctx context.Context, st store.Store, now time.Time, idle time.Duration) (int, error) {
	now = loci.CutTime(now)
	return purgeOrgs(ctx, st, func(tx store.Tx) (int, error) {
		return tx.Sessions().Expire(ctx, now.Add(-idle), now, purgeBatch)
	})
}

// PurgeCredentials deletes sign-ins, tokens, links and codes that have been unusable for long, and
// returns their number. It also deletes old limits.
func PurgeCredentials(ctx context.Context, st store.Store, now time.Time) (int, error) {
	credentials, err := inBatches(func() (int, error) {
		return st.Credentials().Purge(ctx, daysBefore(now, CredentialDays), purgeBatch)
	})
	exchanges, failed := inBatches(func() (int, error) {
		return st.OAuth().Purge(ctx, daysBefore(now, exchangeDays), purgeBatch)
	})
	return credentials + exchanges, errors.Join(err, failed, st.Limits().Purge(ctx, loci.CutTime(now.Add(-limitLife))))
}

// PurgeConnections deletes MCP connections unused for SessionDays, and returns their number.
func PurgeConnections(ctx context.Context, st store.Store, now time.Time) (int, error) {
	return inBatches(func() (int, error) { return st.Connections().Purge(ctx, daysBefore(now, SessionDays), purgeBatch) })
}

func daysBefore(now time.Time, days int) time.Time { return loci.CutTime(now.AddDate(0, 0, -days)) }

func purgeOrgs(ctx context.Context, st store.Store, purge func(store.Tx) (int, error)) (total int, failed error) {
	orgs, err := st.Orgs().List(ctx)
	if err != nil {
		return 0, err
	}
	for _, org := range orgs {
		n, err := inBatches(func() (n int, err error) {
			err = st.Update(ctx, org.ID, func(tx store.Tx) error { n, err = purge(tx); return err })
			return n, err
		})
		total += n
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("purge org %s: %w", org.ID, err))
		}
	}
	return total, failed
}

// inBatches repeats purge until a batch is not full.
func inBatches(purge func() (int, error)) (total int, err error) {
	for {
		n, err := purge()
		if err != nil {
			return total, err
		}
		if total += n; n < purgeBatch {
			return total, nil
		}
	}
}
