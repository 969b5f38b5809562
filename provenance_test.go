package loci_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
)

// wantField demands an Invalid error about the field that says the text; "" is none at all.
func wantField(t *testing.T, name string, err error, field, text string) {
	t.Helper()
	if field == "" {
		if err != nil {
			t.Errorf("%s: %v, want none", name, err)
		}
		return
	}
	if loci.CodeOf(err) != loci.Invalid || loci.FieldOf(err) != field || !strings.Contains(err.Error(), text) ||
		!strings.HasPrefix(err.Error(), field) {
		t.Errorf("%s: got %v about %q, want one about %q that says %q", name, err, loci.FieldOf(err), field, text)
	}
}

func TestAssetValidate(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	for _, tt := range []struct {
		name, field, text string
		change            func(*loci.Asset)
	}{
		{"good", "", "", func(*loci.Asset) {}},
		{"empty file", "", "", func(a *loci.Asset) { a.Size = 0 }},
		{"any script", "", "", func(a *loci.Asset) { a.Name = "план — 図.png" }},
		{"parameters", "", "", func(a *loci.Asset) { a.MediaType = "text/plain; charset=utf-8" }},
		{"two spaces", "", "", func(a *loci.Asset) { a.Name = "a  b.png" }},
		{"hidden order", "name", "one line", func(a *loci.Asset) { a.Name = "gnp.\u202eexe" }},
		{"longest name", "", "", func(a *loci.Asset) { a.Name = strings.Repeat("é", 255) }},
		{"no name", "name", "empty", func(a *loci.Asset) { a.Name = "" }},
		{"long name", "name", "255", func(a *loci.Asset) { a.Name = strings.Repeat("é", 256) }},
		{"a path", "name", "name of a file", func(a *loci.Asset) { a.Name = "../passwd" }},
		{"a path of Windows", "name", "name of a file", func(a *loci.Asset) { a.Name = `c:\x` }},
		{"the directory above", "name", "name of a file", func(a *loci.Asset) { a.Name = ".." }},
		{"two lines", "name", "one line", func(a *loci.Asset) { a.Name = "a\r\nSet-Cookie: x" }},
		{"no type", "media_type", "empty", func(a *loci.Asset) { a.MediaType = "" }},
		{"half a type", "media_type", "image/png", func(a *loci.Asset) { a.MediaType = "png" }},
		{"two lines of type", "media_type", "image/png", func(a *loci.Asset) { a.MediaType = "a/b\r\nx: y" }},
		{"short sum", "sha256", "64", func(a *loci.Asset) { a.SHA256 = sum[:62] }},
		{"no sum", "sha256", "64", func(a *loci.Asset) { a.SHA256 = strings.Repeat("zz", 32) }},
		{"capital sum", "sha256", "lower", func(a *loci.Asset) { a.SHA256 = strings.ToUpper(sum) }},
		{"size", "size", "negative", func(a *loci.Asset) { a.Size = -1 }},
	} {
		a := &loci.Asset{Name: "diagram.png", MediaType: "image/png", Size: 3, SHA256: sum}
		tt.change(a)
		wantField(t, tt.name, a.Validate(), tt.field, tt.text)
	}
}

func TestSourceValidate(t *testing.T) {
	for _, tt := range []struct {
		name, field, text string
		change            func(*loci.Source)
	}{
		{"message", "", "", func(*loci.Source) {}},
		{"text", "", "", func(s *loci.Source) { s.Kind, s.Ref, s.Text = loci.SourceText, "", "what was said" }},
		{"quote", "", "", func(s *loci.Source) { s.Text, s.Quote, s.Start, s.End = "né à Ys", "à Ys", 3, 7 }},
		{"quote of something elsewhere", "", "", func(s *loci.Source) { s.Quote, s.Start, s.End = "à Ys", 30, 70 }},
		{"quote without a place", "", "", func(s *loci.Source) { s.Text, s.Quote = "né", "other words" }},
		{"url", "", "", func(s *loci.Source) { s.Kind, s.Ref = loci.SourceURL, "HTTPS://example.com/a?b#c" }},
		{"kind", "sources[3].kind", "message, session", func(s *loci.Source) { s.Kind = "rumour" }},
		{"no ref", "sources[3].ref", "empty", func(s *loci.Source) { s.Ref = " " }},
		{"long ref", "sources[3].ref", "2000", func(s *loci.Source) { s.Ref = strings.Repeat("x", 2001) }},
		{"two lines", "sources[3].ref", "one line", func(s *loci.Source) { s.Ref = "a\nb" }},
		{"no text", "sources[3].text", "empty", func(s *loci.Source) { s.Kind = loci.SourceText }},
		{"long text", "sources[3].text", "100000", func(s *loci.Source) { s.Text = strings.Repeat("x", 100_001) }},
		{"long quote", "sources[3].quote", "10000", func(s *loci.Source) { s.Quote = strings.Repeat("x", 10_001) }},
		{"NUL", "sources[3].quote", "NUL", func(s *loci.Source) { s.Quote = "\x00" }},
		{"script", "sources[3].ref", "https://",
			func(s *loci.Source) { s.Kind, s.Ref = loci.SourceURL, "javascript:alert(1)" }},
		{"nowhere", "sources[3].ref", "https://", func(s *loci.Source) { s.Kind, s.Ref = loci.SourceURL, "https://" }},
		{"before the beginning", "sources[3].start", "within the text", func(s *loci.Source) { s.Start = -1 }},
		{"backwards", "sources[3].start", "within the text", func(s *loci.Source) { s.Start, s.End = 4, 2 }},
		{"behind the end", "sources[3].start", "within the text", func(s *loci.Source) { s.Text, s.End = "né", 3 }},
		{"other words", "sources[3].quote", "from start to end",
			func(s *loci.Source) { s.Text, s.Quote, s.Start, s.End = "né à Ys", "né", 1, 3 }},
		{"no vendors", "sources[3].allowed_vendors", "at least one", func(s *loci.Source) { s.AllowedVendors = nil }},
		{"vendor", "sources[3].allowed_vendors[1]", "a-z",
			func(s *loci.Source) { s.AllowedVendors = []loci.Vendor{"*", "A B"} }},
	} {
		s := &loci.Source{Kind: loci.SourceMessage, Ref: "msg-1", AllowedVendors: []loci.Vendor{"*"}}
		tt.change(s)
		wantField(t, tt.name, s.Validate("sources[3]"), tt.field, tt.text)
	}
	for _, tt := range []struct {
		name, field string
		source      loci.Source
	}{
		{"id of a message", "s.quote", loci.Source{Kind: loci.SourceMessage, Ref: "msg-1"}},
		{"message with a quote", "", loci.Source{Kind: loci.SourceMessage, Ref: "msg-1", Quote: "on Tuesdays"}},
		{"event, which Loci looks up", "", loci.Source{Kind: loci.SourceEvent, Ref: "4711"}},
		{"message at a URL", "", loci.Source{Kind: loci.SourceMessage, Ref: "https://chat.example.com/p/1"}},
		{"session", "", loci.Source{Kind: loci.SourceSession, Ref: loci.NewSessionID().String()}},
		{"url", "", loci.Source{Kind: loci.SourceURL, Ref: "https://example.com"}},
	} {
		wantField(t, tt.name, tt.source.CheckProof("s"), tt.field, "")
	}
	s := &loci.Source{Kind: loci.SourceMessage, Ref: "m", AllowedVendors: []loci.Vendor{"a", "b", "a"}}
	if err := s.Validate("s"); err != nil || !cmp.Equal(s.AllowedVendors, []loci.Vendor{"a", "b"}) {
		t.Errorf("duplicates: %v, %v", s.AllowedVendors, err)
	}
}
