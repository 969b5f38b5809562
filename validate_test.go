package loci_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
)

func valid() *loci.Memory {
	m := &loci.Memory{Title: "t", Content: "c"}
	m.SetDefaults()
	return m
}

func manyTags(n int) (tags []string) {
	for i := range n {
		tags = append(tags, fmt.Sprint(i))
	}
	return tags
}

func TestValidateNamesFieldAndLimit(t *testing.T) {
	vendors := make([]loci.Vendor, 51)
	for i := range vendors {
		vendors[i] = loci.Vendor(fmt.Sprint("v", i))
	}
	tests := []struct {
		name, field, text string
		change            func(*loci.Memory)
	}{
		{"no title", "title", "empty", func(m *loci.Memory) { m.Title = "" }},
		{"blank title", "title", "empty", func(m *loci.Memory) { m.Title = " \n" }},
		{"long title", "title", "500", func(m *loci.Memory) { m.Title = strings.Repeat("é", 501) }},
		{"no content", "content", "empty", func(m *loci.Memory) { m.Content = "" }},
		{"long content", "content", "100000", func(m *loci.Memory) { m.Content = strings.Repeat("x", 100_001) }},
		{"huge content", "content", "100000", func(m *loci.Memory) { m.Content = strings.Repeat("x", 10<<20) }},
		{"bad UTF-8", "content", "UTF-8", func(m *loci.Memory) { m.Content = "a\xff" }},
		{"NUL", "content", "NUL", func(m *loci.Memory) { m.Content = "a\x00b" }},
		{"too many tags", "tags", "50", func(m *loci.Memory) { m.Tags = manyTags(51) }},
		{"a million tags", "tags", "50", func(m *loci.Memory) { m.Tags = manyTags(1_000_000) }},
		{"long tag", "tags[1]", "100", func(m *loci.Memory) { m.Tags = []string{"a", strings.Repeat("x", 101)} }},
		{"empty tag", "tags[0]", "empty", func(m *loci.Memory) { m.Tags = []string{""} }},
		{"no vendors", "allowed_vendors", "at least one", func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{} }},
		{"too many vendors", "allowed_vendors", "50", func(m *loci.Memory) { m.AllowedVendors = vendors }},
		{"vendor syntax", "allowed_vendors[0]", "a-z",
			func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"Claude Code"} }},
		{"long vendor", "allowed_vendors[0]", "50",
			func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{loci.Vendor(strings.Repeat("x", 51))} }},
		{"type", "memory_type", "semantic", func(m *loci.Memory) { m.Type = "x" }},
		{"scope", "scope", "global", func(m *loci.Memory) { m.Scope = "x" }},
		{"scope without project", "project_id", "required", func(m *loci.Memory) { m.Scope = loci.ScopeProject }},
		{"scope without agent", "agent_id", "required", func(m *loci.Memory) { m.Scope = loci.ScopeAgent }},
		{"importance", "importance", "10", func(m *loci.Memory) { m.Importance = 11 }},
		{"key", "key", "200", func(m *loci.Memory) { m.Key = strings.Repeat("k", 201) }},
		{"summary", "summary", "2000", func(m *loci.Memory) { m.Summary = strings.Repeat("k", 2001) }},
		{"category", "category", "100", func(m *loci.Memory) { m.Category = strings.Repeat("k", 101) }},
		{"source", "source", "64", func(m *loci.Memory) { m.Source = strings.Repeat("k", 65) }},
		{"interval", "valid_to", "before",
			func(m *loci.Memory) { m.ValidFrom, m.ValidTo = time.UnixMicro(2), time.UnixMicro(1) }},
		{"year", "expires_at", "9999", func(m *loci.Memory) { m.ExpiresAt = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := valid()
			tt.change(m)
			err := m.Validate()
			if loci.CodeOf(err) != loci.Invalid || loci.FieldOf(err) != tt.field || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got field %q, %v; want field %q with %q", loci.FieldOf(err), err, tt.field, tt.text)
			}
			if err != nil && len(err.Error()) > 300 {
				t.Errorf("the error repeats the input: %d bytes", len(err.Error()))
			}
		})
	}
}

func TestValidateTakesTheLimitsThemselves(t *testing.T) {
	m := valid()
	m.Title, m.Content = strings.Repeat("é", 500), strings.Repeat("日", 100_000)
	m.Tags = manyTags(50)
	m.Tags[0] = strings.Repeat("é", 100)
	m.AllowedVendors = []loci.Vendor{"*", loci.Vendor(strings.Repeat("v", 50))}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
	twice := valid()
	twice.Tags = []string{"b", "a", "b"}
	if err := twice.Validate(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"b", "a"}, twice.Tags); diff != "" {
		t.Error(diff)
	}
}

func TestIDsAndNames(t *testing.T) {
	for _, bad := range []string{"", "x", strings.Repeat("f", 36), strings.Repeat("x", 1<<20),
		"6f1d2c1e8a524c0e9d7b2f3a4b5c6d7e", "{6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7}"} {
		if _, err := loci.ParseMemoryID(bad); loci.CodeOf(err) != loci.Invalid || len(err.Error()) > 200 {
			t.Errorf("ParseMemoryID(%.40q) = %v", bad, err)
		}
	}
	id := loci.NewMemoryID()
	if got, err := loci.ParseMemoryID(strings.ToUpper(id.String())); got != id || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []loci.OrgID{"", "../x", "A", "-a", loci.OrgID(strings.Repeat("a", 65)), "a/b", "a.b"} {
		if bad.Validate() == nil {
			t.Errorf("org id %.70q is taken", bad)
		}
	}
	if v, err := loci.ParseVendor("Claude"); v != "claude" || err != nil {
		t.Errorf("got %q, %v", v, err)
	}
}

func TestErrorsHideTheirCause(t *testing.T) {
	err := loci.WrapError(loci.Full, fmt.Errorf("write /secret/path: no space"), "the disk is full")
	if loci.SafeText(err) != "the disk is full" || loci.CodeOf(fmt.Errorf("outer: %w", err)) != loci.Full {
		t.Errorf("%v", err)
	}
	if got := loci.SafeText(fmt.Errorf("sql: boom")); got != "internal error" {
		t.Error(got)
	}
}
