package storetest

import (
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci/internal/store"
)

// testJobs keeps the last turn of each job, whichever process writes first.
func testJobs(e *env) {
	ctx, jobs, at := e.Context(), e.st.Jobs(), e.clock.now()
	if list, err := jobs.List(ctx); len(list) != 0 || err != nil {
		e.Errorf("before any turn: %+v, %v", list, explain(err))
	}
	early := store.Job{Name: "trash.purge", BegunAt: at, EndedAt: at.Add(time.Second), Rows: 7, NextAt: at.Add(time.Hour)}
	late := store.Job{Name: "trash.purge", BegunAt: at.Add(time.Minute), EndedAt: at.Add(2 * time.Minute), Error: "full"}
	other := store.Job{Name: "backup", BegunAt: at, EndedAt: at, Rows: 3}
	for _, one := range []store.Job{early, other, late, early} {
		if err := jobs.Put(ctx, one); err != nil {
			e.Fatal(explain(err))
		}
	}
	got, err := jobs.List(ctx)
	if diff := cmp.Diff([]store.Job{other, late}, got); diff != "" || err != nil {
		e.Errorf("%v (-want +got):\n%s", explain(err), diff)
	}
	again := late
	again.Error, again.EndedAt = "", at.Add(time.Hour)
	if err := jobs.Put(ctx, again); err != nil {
		e.Fatal(explain(err))
	}
	if got, err = jobs.List(ctx); err != nil || len(got) != 2 || !cmp.Equal(got[1], again) {
		e.Errorf("the same turn once more: %+v, %v", got, explain(err))
	}
}
