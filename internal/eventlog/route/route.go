// Package route finds the log that has the events of an org: the embedded one, or the org's Arc.
//
// It asks the registry on every call, so a change of an org or of its Arc takes effect with the next call,
// in every process.
package route

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc"
	"github.com/loci-memory/loci/internal/memo"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/seal"
	"github.com/loci-memory/loci/internal/store"
)

// Options configure Logs.
type Options struct {
	Store   store.Store     // required
	Local   eventlog.Local  // required: the log of orgs without Arc, and what Arc doesn't have yet
	Default loci.EventStore // of orgs that set none; required
	Master  seal.Ring       // open the keys of Arc
	HTTP    *http.Client    // for calls to Arc; default: arc.NewHTTP(true)
	Log     *slog.Logger    // default: discard
	// BatchSize and FlushInterval are those of arc.Options.
	BatchSize     int
	FlushInterval time.Duration
}

// Logs are the logs of all orgs.
type Logs struct {
	o   Options
	arc *arc.Log

	known *memo.Memo[loci.OrgID, store.Stamp, place] // as of the registry

	ready readiness
}

// maxKnown limits of how many orgs it is kept where their events are.
const maxKnown = 10_000

// place is where the events of an org are.
type place struct {
	store   loci.EventStore
	bound   bool
	binding loci.ArcBinding
	err     error // why the binding can't be used
}

// New returns the logs.
func New(o Options) *Logs {
	if o.Store == nil || o.Local == nil || o.Default == "" {
		panic("route: Options.Store, Options.Local and Options.Default are required")
	}
	l := &Logs{o: o, known: memo.New[loci.OrgID, store.Stamp, place](maxKnown)}
	l.arc = arc.New(arc.Options{Local: o.Local, Binding: l.binding, Orgs: l.inArc, HTTP: o.HTTP, Log: o.Log,
		BatchSize: o.BatchSize, FlushInterval: o.FlushInterval})
	return l
}

// Of returns the log that has the events of an org. That of an org that doesn't exist is the embedded one,
// which may have what is left of a deleted org. Of fails with Unavailable if the org is set to Arc, but has
// none, or if the key of its Arc can't be opened.
func (l *Logs) Of(ctx context.Context, id loci.OrgID) (eventlog.Engine, error) {
	at, err := l.at(ctx, id)
	switch {
	case loci.CodeOf(err) == loci.NotFound:
		return l.o.Local, nil
	case err != nil:
		return nil, err
	case at.store == loci.EventsInArc:
		if _, err := at.arc(id); err != nil {
			return nil, err
		}
		return l.arc, nil
	case at.bound:
		return left{l.o.Local, l.arc}, nil
	}
	return l.o.Local, nil
}

// left is the log of an org that has left its Arc. It reads and writes the embedded one, but what is
// deleted must not stay in Arc.
type left struct {
	eventlog.Engine
	arc *arc.Log
}

// Purge deletes events in both.
func (l left) Purge(ctx context.Context, id loci.OrgID, s eventlog.Selection, limit int) (int, error) {
	n, err := l.arc.Purge(ctx, id, s, limit)
	if err == nil && n > 0 {
		err = l.arc.ErasePurged(ctx, id)
	}
	return n, err
}

// Drop deletes the events of an org in both.
func (l left) Drop(ctx context.Context, id loci.OrgID) error { return l.arc.Drop(ctx, id) }

// Run delivers the events of orgs in Arc until ctx ends.
func (l *Logs) Run(ctx context.Context) { l.arc.Run(ctx) }

// Close makes later calls to Arcs fail. Run must have ended. The local log stays open.
func (l *Logs) Close() error { return l.arc.Close() }

// Check opens the keys of all Arcs. It fails with Unavailable and names the org if a key was changed, or
// was sealed with another master key.
func (l *Logs) Check(ctx context.Context) error {
	all, err := l.all(ctx)
	for _, at := range all {
		err = cmp.Or(err, at.err)
	}
	return err
}

// Drop permanently deletes the events of an org, also those in an Arc that it has left. It fails with
// Unavailable if its Arc doesn't delete them.
func (l *Logs) Drop(ctx context.Context, id loci.OrgID) error {
	at, err := l.at(ctx, id)
	if loci.CodeOf(err) == loci.NotFound || err == nil && !at.bound {
		return l.o.Local.Drop(ctx, id)
	}
	if err != nil {
		return err
	}
	return l.arc.Drop(ctx, id)
}

// at returns the place of an org. It reads the registry again whenever somebody has committed to it.
func (l *Logs) at(ctx context.Context, id loci.OrgID) (at place, err error) {
	stamp, ok := l.o.Store.Stamp(ctx, "")
	if at, found := l.known.Get(id, stamp); ok && found {
		return at, nil
	}
	o, err := l.o.Store.Orgs().Get(ctx, id)
	if err != nil {
		return at, err
	}
	row, err := l.o.Store.ArcBindings().Get(ctx, id)
	switch {
	case err == nil:
		at = l.place(&o, &row)
	case loci.CodeOf(err) == loci.NotFound:
		at = l.place(&o, nil)
	default:
		return at, err
	}
	if ok {
		l.known.Put(id, stamp, at, 1)
	}
	return at, nil
}

// place returns the place of an org with a binding, or with nil for none.
func (l *Logs) place(o *loci.Org, row *store.ArcBinding) place {
	at := place{store: cmp.Or(o.Events, l.o.Default), bound: row != nil}
	if at.bound {
		at.binding, at.err = org.Unseal(l.o.Master, *row)
	}
	return at
}

func (l *Logs) all(ctx context.Context) (map[loci.OrgID]place, error) {
	orgs, err := l.o.Store.Orgs().List(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := l.o.Store.ArcBindings().List(ctx)
	if err != nil {
		return nil, err
	}
	bindings := map[loci.OrgID]*store.ArcBinding{}
	for i := range rows {
		bindings[rows[i].OrgID] = &rows[i]
	}
	places := map[loci.OrgID]place{}
	for i := range orgs {
		places[orgs[i].ID] = l.place(&orgs[i], bindings[orgs[i].ID])
	}
	return places, nil
}

func (at *place) arc(id loci.OrgID) (loci.ArcBinding, error) {
	if !at.bound {
		return loci.ArcBinding{}, loci.Errorf(loci.Unavailable,
			"the org %s is set to keep its events in Arc, but has no Arc; an operator can add one with: loci org add-arc %s",
			id, id)
	}
	return at.binding, at.err
}

func (l *Logs) binding(ctx context.Context, id loci.OrgID) (loci.ArcBinding, error) {
	at, err := l.at(ctx, id)
	if err != nil {
		return loci.ArcBinding{}, err
	}
	return at.arc(id)
}

// inArc returns the orgs whose events are delivered. The events of others stay in the local log, where they are read.
func (l *Logs) inArc(ctx context.Context) (list []loci.OrgID, err error) {
	all, err := l.all(ctx)
	for id, at := range all {
		if at.bound && at.store == loci.EventsInArc {
			list = append(list, id)
		}
	}
	return list, err
}

// readiness is the last answer of Arcs. Anybody may ask whether a server is ready, so not every request asks them.
type readiness struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

const (
	readyFor     = 3 * time.Second
	readyTimeout = 5 * time.Second
)

// Ready asks the Arc of each org that has its events there. It doesn't tell which of them fail.
func (l *Logs) Ready(ctx context.Context) error {
	l.ready.mu.Lock()
	defer l.ready.mu.Unlock()
	if age := time.Since(l.ready.at); age >= 0 && age < readyFor {
		return l.ready.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout) // the answer is for others, too
	defer cancel()
	l.ready.err = l.ask(ctx)
	l.ready.at = time.Now()
	return l.ready.err
}

func (l *Logs) ask(ctx context.Context) error {
	all, err := l.all(ctx)
	if err != nil {
		return err
	}
	var asking sync.WaitGroup
	var mu sync.Mutex
	var failed []error
	asked := 0
	for id, at := range all {
		if at.store != loci.EventsInArc {
			continue
		}
		asked++
		asking.Go(func() {
			if err := l.arc.Ready(ctx, id); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, err)
			}
		})
	}
	asking.Wait()
	if len(failed) == 0 {
		return nil
	}
	return loci.WrapError(loci.Unavailable, errors.Join(failed...), "%d of %s cannot be used", len(failed),
		loci.Plural(asked, "Arc of an org", "Arcs of orgs"))
}
