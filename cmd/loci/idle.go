package main

import (
	"context"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// idleFor is how long a server has had no request when it gives memory back.
const idleFor = 2 * time.Second

func counted(requests *atomic.Uint64, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		h.ServeHTTP(w, r)
	})
}

// giveBack gives the system the memory that it does not need to have: the free memory of the heap, and the
// pages of the program itself, which the system reads again when they are used.
func giveBack() {
	debug.FreeOSMemory()
	forgetProgram()
}

// restIdle calls free at the first tick after which there was no request since the one before, until ctx ends.
// The collector itself keeps as much memory as the start and the busiest time needed.
func restIdle(ctx context.Context, requests *atomic.Uint64, ticks <-chan time.Time, free func()) {
	var i idleness
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		if i.begins(requests.Load()) {
			free()
		}
	}
}

// idleness is what restIdle knows of the time before.
type idleness struct {
	requests uint64
	idle     bool
}

// begins reports whether the server is idle now and was not before. n is how many requests it has had.
func (i *idleness) begins(n uint64) bool {
	before := *i
	*i = idleness{n, n == before.requests}
	return i.idle && !before.idle
}
