package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

func TestExitCodesCoverEveryCode(t *testing.T) {
	for _, c := range loci.Codes() {
		if exitCodes[c] == 0 {
			t.Errorf("code %q has no exit code", c)
		}
	}
}

func TestReport(t *testing.T) {
	full := loci.WrapError(loci.Full, sqlitedb.ErrFull, "the disk is full; nothing was written")
	tests := []struct {
		name string
		err  error
		json bool
		want string
		code int
	}{
		{"plain", errors.New("a\nb"), false, "loci: a b\n", exitFailed},
		{"usage", usagef("unknown flag"), true, `{"error":"unknown flag","code":"usage","exit":2}` + "\n", exitUsage},
		{"disk full", full, false, "loci: the disk is full; nothing was written\n", exitStorage},
		{"disk full in JSON", fmt.Errorf("add: %w", full), true,
			`{"error":"add: the disk is full; nothing was written","code":"storage_full","exit":5}` + "\n", exitStorage},
		{"interrupted", fmt.Errorf("import: %w", context.Canceled), false,
			"loci: interrupted; acknowledged changes are kept, and you can run the command again\n", exitInterrupted},
		{"interrupted twice", errors.Join(fmt.Errorf("%w: driver", context.Canceled), errors.Join(context.Canceled), full),
			false, "loci: interrupted; acknowledged changes are kept, and you can run the command again\n" +
				"loci: the disk is full; nothing was written\n", exitInterrupted},
		{"two of a kind", errors.Join(full, full), false, strings.Repeat("loci: the disk is full; nothing was written\n", 2),
			exitStorage},
		{"interrupted in JSON", context.Canceled, true,
			`{"error":"interrupted; acknowledged changes are kept, and you can run the command again","code":"interrupted",` +
				`"exit":130}` + "\n", exitInterrupted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			(&program{err: &b}).report(tt.err, tt.json)
			if b.String() != tt.want {
				t.Errorf("got %q, want %q", b.String(), tt.want)
			}
			if got := exitCode(tt.err); got != tt.code {
				t.Errorf("exit code %d, want %d", got, tt.code)
			}
		})
	}
}
