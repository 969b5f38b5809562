package main

import (
	"testing"

	"github.com/loci-memory/loci/internal/bench"
)

func TestMissedTargets(t *testing.T) {
	must := func(step string, value float64) bench.Result {
		return bench.Result{Step: step, Value: value, Bars: []bench.Bar{{Name: "goal", Limit: 9}, {Name: "must", Limit: 5}}}
	}
	tests := []struct {
		name    string
		results []bench.Result
		want    string // "": no error
	}{
		{"nothing measured", nil, ""},
		{"all met", []bench.Result{must("writes", 5), must("reads", 7)}, ""},
		{"one missed", []bench.Result{must("writes", 4), must("reads", 7)}, "1 target missed (writes)"},
		{"two missed", []bench.Result{must("writes", 4), must("reads", 1)}, "2 targets missed (writes, reads)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := missedTargets(tt.results); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
