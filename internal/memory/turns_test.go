package memory

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/loci-memory/loci"
)

// TestTurnsAreShared lets one credential flood a process with searches, and another send one.
func TestTurnsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		turns.free, turns.each = 4, 2
		running := make(chan func(), maxWaiting+10)
		for range maxWaiting + turns.each {
			go func() {
				if done, err := turns.take(t.Context(), "flood"); err == nil {
					running <- done
				}
			}()
		}
		synctest.Wait()
		if len(running) != 2 {
			t.Errorf("%d searches of one credential run at once, want 2 of 4", len(running))
		}
		if _, err := turns.take(t.Context(), "flood"); loci.CodeOf(err) != loci.RateLimited {
			t.Errorf("one more than may wait: %v", err)
		}
		for i := range 2 {
			if _, err := turns.take(t.Context(), fmt.Sprint("other ", i)); err != nil { // would wait for ever without a share
				t.Error(err)
			}
		}
		late := make(chan func(), 1)
		go func() { done, _ := turns.take(t.Context(), "late"); late <- done }()
		synctest.Wait()
		if len(late) != 0 {
			t.Error("a search runs though no processor is free")
		}
		(<-running)()
		synctest.Wait()
		if len(running) != 2 || len(late) != 0 {
			t.Errorf("after one ends, %d of the flood and %d of another that came later run; want the one that waited longest",
				len(running), len(late))
		}
		(<-running)()
		synctest.Wait()
		if len(late) != 1 {
			t.Error("the flood had its turn, and the next search is not another's")
		}
		for range maxWaiting - 1 {
			(<-running)()
			synctest.Wait()
		}
	})
}

// TestTurnsOfThoseWhoLeave frees the place of a caller who has gone.
func TestTurnsOfThoseWhoLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		turns.free, turns.each = 1, 1
		done, err := turns.take(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		for _, who := range []string{"a", "b"} {
			ctx, leave := context.WithCancel(t.Context())
			left := make(chan error)
			go func() { _, err := turns.take(ctx, who); left <- err }()
			synctest.Wait()
			leave()
			if err := <-left; err == nil {
				t.Errorf("%s may search though another does", who)
			}
		}
		done()
		if turns.free != 1 || len(turns.by) != 0 || len(turns.next) != 0 {
			t.Errorf("after all have gone: %+v", turns)
		}
	})
}
