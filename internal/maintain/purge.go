package maintain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// How long things stay that are of no use any more.
const (
	AuditDays      = 400 // an entry of the audit trail
	CredentialDays = 30  // a session, a token or a link
	FeedDays       = 7   // an event of the feed; who was away longer begins anew
	RequestHours   = 24  // an answer to a request that may be repeated under its key
	uploadDays     = 1   // a file that is not attached to a memory yet
	SessionDays    = 30  // on which project an MCP session worked that nobody uses
	exchangeDays   = 1   // an OAuth code, a refresh token, a client that nobody uses
)

// limitLife is longer than any window in which something is limited.
const limitLife = time.Hour

// purgeBatch keeps each transaction short, so that writers do not wait.
const purgeBatch = 200

// Purge deletes permanently what was trashed more than loci.TrashDays before now, in
// every org, and returns how many memories and memory nodes that were. One org's
// failure does not keep the others from it.
func Purge(ctx context.Context, st store.Store, now time.Time) (int, error) {
	then := daysBefore(now, loci.TrashDays)
	memories, err := purgeOrgs(ctx, st,
		func(tx store.Tx) (int, error) { return tx.Memories().Purge(ctx, then, purgeBatch) })
	nodes, failed := purgeOrgs(ctx, st,
		func(tx store.Tx) (int, error) { return tx.MemoryNodes().Purge(ctx, then, purgeBatch) })
	return memories + nodes, errors.Join(err, failed)
}

// SweepBlobs deletes the files that no attachment of their org names, unless they were uploaded within
// a day, and what interrupted uploads have left, and returns how many.
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

// PurgeAudit deletes the entries of every org's audit trail from more than
// AuditDays before now, and returns how many. Before that it gathers those of the projects.
func PurgeAudit(ctx context.Context, st store.Store, now time.Time) (int, error) {
	then := daysBefore(now, AuditDays)
	failed := gatherAudit(ctx, st)
	n, err := purgeOrgs(ctx, st, func(tx store.Tx) (int, error) { return tx.Audit().Purge(ctx, then, purgeBatch) })
	return n, errors.Join(failed, err)
}

// gatherAudit moves what was done in graphs to the trails of the orgs, so that it does not pile up in the projects. One
// project's failure does not keep the others from it.
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

// PurgeFeed deletes the events of every org's feed from more than FeedDays
// before now, and returns how many.
func PurgeFeed(ctx context.Context, st store.Store, now time.Time) (int, error) {
	then := daysBefore(now, FeedDays)
	return purgeOrgs(ctx, st, func(tx store.Tx) (int, error) { return tx.Feed().Purge(ctx, then, purgeBatch) })
}

// PurgeRequests forgets the requests with a key of more than RequestHours before
// now, in every org, and returns how many. The same key is a new one then.
func PurgeRequests(ctx context.Context, st store.Store, now time.Time) (int, error) {
	then := loci.CutTime(now.Add(-RequestHours * time.Hour))
	return purgeOrgs(ctx, st, func(tx store.Tx) (int, error) { return tx.Idempotency().Purge(ctx, then, purgeBatch) })
}

// PurgeCredentials deletes the sessions, tokens, links and codes that have been
// of no use for long, and returns how many. It forgets old limits, too.
func PurgeCredentials(ctx context.Context, st store.Store, now time.Time) (int, error) {
	credentials, err := inBatches(func() (int, error) {
		return st.Credentials().Purge(ctx, daysBefore(now, CredentialDays), purgeBatch)
	})
	exchanges, failed := inBatches(func() (int, error) {
		return st.OAuth().Purge(ctx, daysBefore(now, exchangeDays), purgeBatch)
	})
	return credentials + exchanges, errors.Join(err, failed, st.Limits().Purge(ctx, loci.CutTime(now.Add(-limitLife))))
}

// PurgeConnections forgets the MCP sessions that nobody used for SessionDays, and
// returns how many.
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

// inBatches repeats purge until there is no full batch any more.
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
