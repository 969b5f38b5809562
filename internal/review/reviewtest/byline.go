// Package reviewtest has an extractor for tests of what becomes of candidates. It finds what a test says, whatever the
// real one would find.
package reviewtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/review"
)

// ByLine is an extractor that takes each line "kind: text" for a candidate.
type ByLine struct{}

// Extract implements review.Extractor.
func (ByLine) Extract(_ context.Context, n *review.Asked) (*review.Extracted, error) {
	x := &review.Extracted{Extraction: &reflection.Extraction{}, Extractor: "rules"}
	at := 0
	for line := range strings.Lines(n.Content) {
		start := at
		at += len(line)
		kind, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok || len(x.Candidates) >= n.Limit {
			continue
		}
		start += len(kind) + 2
		sum := sha256.Sum256([]byte(kind + text))
		c := reflection.Candidate{ID: hex.EncodeToString(sum[:8]), Kind: loci.CandidateKind(kind), Title: title(text),
			Confidence: .9, Reason: "A line says so.",
			Span: reflection.Span{Start: start, End: start + len(text), RuneStart: utf8.RuneCountInString(n.Content[:start])}}
		c.RuneEnd = c.RuneStart + utf8.RuneCountInString(text)
		x.Candidates = append(x.Candidates, c)
	}
	return x, nil
}

// Slow implements review.Extractor.
func (ByLine) Slow() bool { return false }

// title keeps a title within its limit.
func title(text string) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), 80)])
}
