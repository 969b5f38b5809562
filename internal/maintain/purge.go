package maintain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// TrashDays is how long a memory stays in the trash.
const TrashDays = 30

// purgeBatch keeps each transaction short, so that writers do not wait.
const purgeBatch = 200

// Purge deletes for good what was trashed more than TrashDays before now, in
// every org, and returns how many memories that were. One org's failure does
// not keep the others from it.
func Purge(ctx context.Context, st store.Store, now time.Time) (int, error) {
	orgs, err := st.Orgs().List(ctx)
	if err != nil {
		return 0, err
	}
	then := loci.CutTime(now.AddDate(0, 0, -TrashDays))
	total := 0
	var failed error
	for _, org := range orgs {
		n, err := purgeOrg(ctx, st, org.ID, then)
		total += n
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("purge org %s: %w", org.ID, err))
		}
	}
	return total, failed
}

func purgeOrg(ctx context.Context, st store.Store, org loci.OrgID, then time.Time) (total int, err error) {
	for {
		var n int
		err := st.Update(ctx, org, func(tx store.Tx) (err error) {
			n, err = tx.Memories().Purge(ctx, then, purgeBatch)
			return err
		})
		if err != nil {
			return total, err
		}
		if total += n; n < purgeBatch {
			return total, nil
		}
	}
}
