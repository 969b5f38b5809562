package main

import (
	"errors"
	"time"

	"github.com/loci-memory/loci/internal/eventlog/arc"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/route"
)

type arcSettings struct {
	BatchSize     int
	FlushInterval time.Duration
}

type eventLogs struct {
	*route.Logs
	local *embedded.Log
}

func (p *program) openEventLogs(st *engine) *eventLogs {
	s := p.settings
	local := eventLog(st)
	return &eventLogs{local: local, Logs: route.New(route.Options{Store: st, Local: local, Default: s.Events,
		Master: s.Master, HTTP: arc.NewHTTP(s.Egress), Log: p.log, BatchSize: s.Arc.BatchSize,
		FlushInterval: s.Arc.FlushInterval})}
}

// Close waits for running calls.
func (l *eventLogs) Close() error { return errors.Join(l.Logs.Close(), l.local.Close()) }
