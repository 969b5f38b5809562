package main

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	tests := []struct {
		name, in string
		want     counts
		says     string
	}{
		{"pass and package", `{"Action":"pass","Package":"p","Test":"A"}` + "\n" + `{"Action":"pass","Package":"p"}`,
			counts{passed: 1}, "ok   p"},
		{"a failed test counts once", `{"Action":"output","Package":"p","Test":"A","Output":"got 1\n"}` + "\n" +
			`{"Action":"fail","Package":"p","Test":"A"}` + "\n" + `{"Action":"fail","Package":"p"}`, counts{failed: 1}, "got 1"},
		{"a skip is shown", `{"Action":"output","Package":"p","Test":"A","Output":"no server\n"}` + "\n" +
			`{"Action":"skip","Package":"p","Test":"A"}`, counts{skipped: 1}, "no server"},
		{"a package that does not build fails", `{"Action":"build-output","ImportPath":"p","Output":"x.go:1: no\n"}` + "\n" +
			`{"Action":"build-fail","ImportPath":"p"}` + "\n" + `{"Action":"fail","Package":"p"}`, counts{failed: 1},
			"x.go:1: no"},
		{"a killed program has its reason", `{"Action":"output","Package":"p","Test":"A","Output":"signal: killed\n"}` +
			"\n" + `{"Action":"fail","Package":"p"}`, counts{failed: 1}, "signal: killed"},
		{"a package without tests is no skip", `{"Action":"skip","Package":"p"}`, counts{}, ""},
		{"output that only looks like an event",
			`{"Action":"output","Package":"p","Test":"A","Output":"{\"Action\":\"fail\"}"}`, counts{}, ""},
		{"the slowest test is shown", `{"Action":"pass","Package":"p","Test":"A","Elapsed":1.5}` + "\n" +
			`{"Action":"pass","Package":"p","Test":"B","Elapsed":2}`, counts{passed: 2}, "slow p.B 2.0 s\nslow p.A 1.5 s"},
		{"other text is passed on", "go: downloading\n", counts{}, "go: downloading"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			got, err := read(strings.NewReader(tt.in), &out)
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
			if !strings.Contains(out.String(), tt.says) {
				t.Errorf("printed %q, want it to contain %q", out.String(), tt.says)
			}
		})
	}
}
