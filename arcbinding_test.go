package loci_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

func TestArcBinding(t *testing.T) {
	valid := loci.ArcBinding{URL: "https://arc.example.org:8000/", Database: "acme-1", Measurement: "events", Key: "k"}
	b := valid
	if err := b.Validate(); err != nil || b.URL != "https://arc.example.org:8000" {
		t.Errorf("got %q, %v", b.URL, err)
	}
	tests := []struct {
		name, field string
		change      func(*loci.ArcBinding)
	}{
		{"no URL", "url", func(b *loci.ArcBinding) { b.URL = "" }},
		{"no host", "url", func(b *loci.ArcBinding) { b.URL = "http://:8000" }},
		{"no scheme", "url", func(b *loci.ArcBinding) { b.URL = "arc:8000" }},
		{"another scheme", "url", func(b *loci.ArcBinding) { b.URL = "ftp://arc" }},
		{"a path", "url", func(b *loci.ArcBinding) { b.URL = "http://arc/api" }},
		{"a query", "url", func(b *loci.ArcBinding) { b.URL = "http://arc?" }},
		{"a fragment", "url", func(b *loci.ArcBinding) { b.URL = "http://arc#x" }},
		{"a password", "url", func(b *loci.ArcBinding) { b.URL = "http://a:b@arc" }},
		{"no database", "database", func(b *loci.ArcBinding) { b.Database = "" }},
		{"a digit first", "database", func(b *loci.ArcBinding) { b.Database = "1a" }},
		{"a path as database", "database", func(b *loci.ArcBinding) { b.Database = "a/../b" }},
		{"a long database", "database", func(b *loci.ArcBinding) { b.Database = strings.Repeat("a", 65) }},
		{"no measurement", "measurement", func(b *loci.ArcBinding) { b.Measurement = "" }},
		{"a quote", "measurement", func(b *loci.ArcBinding) { b.Measurement = `a"b` }},
		{"a hyphen", "measurement", func(b *loci.ArcBinding) { b.Measurement = "a-b" }},
		{"a dot", "measurement", func(b *loci.ArcBinding) { b.Measurement = "a.b" }},
		{"a word of Arc's own", "measurement", func(b *loci.ArcBinding) { b.Measurement = "Read_Parquet_2" }},
		{"no key", "api_key", func(b *loci.ArcBinding) { b.Key = "" }},
		{"a line", "api_key", func(b *loci.ArcBinding) { b.Key = "a\nb" }},
		{"a key that is not ASCII", "api_key", func(b *loci.ArcBinding) { b.Key = "ä" }},
	}
	for _, tt := range tests {
		b := valid
		tt.change(&b)
		if err := b.Validate(); loci.CodeOf(err) != loci.Invalid || loci.FieldOf(err) != tt.field {
			t.Errorf("%s: got %v about %q, want an error about %q", tt.name, err, loci.FieldOf(err), tt.field)
		}
	}
}
