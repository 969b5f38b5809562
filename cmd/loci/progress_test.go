package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// TestProgressNamesTheStage reports two stages, then other output.
func TestProgressNamesTheStage(t *testing.T) {
	var out bytes.Buffer
	m := &meter{out: &out}
	for _, at := range []loci.Progress{
		{Stage: "checking memories", Total: 100_000}, {Stage: "checking memories", Done: 40_000, Total: 100_000},
		{Stage: "importing", Done: 1 << 20, Total: 4 << 20, Bytes: true}, {Stage: "reading", Done: 7, Total: -1},
	} {
		m.report(at)
		if got := m.bar.State(); got.Description != at.Stage || got.Max != at.Total || got.CurrentNum != at.Done {
			t.Errorf("after %+v the bar shows %q, %d of %d", at, got.Description, got.CurrentNum, got.Max)
		}
	}
	for _, stage := range []string{"checking memories", "importing", "reading"} {
		if !strings.Contains(out.String(), stage) {
			t.Errorf("%q does not name the stage %q", out.String(), stage)
		}
	}
	m.clear()
	m.clear()
	before := out.Len()
	m.report(loci.Progress{Stage: "reading", Done: 8})
	if out.Len() == before {
		t.Error("it shows nothing after other output")
	}
	m.clear()
}

// TestProgressOnlyOnATerminal is about what is not a terminal: the work gets nobody to report to.
func TestProgressOnlyOnATerminal(t *testing.T) {
	var out bytes.Buffer
	p := &program{err: &out}
	err := p.follow(t.Context(), func(ctx context.Context) error {
		if ctx != t.Context() {
			t.Error("the work reports its progress to somebody")
		}
		return nil
	})
	if err != nil || out.Len() > 0 {
		t.Errorf("%q, %v", out.String(), err)
	}
}
