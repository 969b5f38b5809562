package main

import (
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eval"
	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
)

// extractNote is the extractor that `loci eval reflect` measures. It asks for all candidates, without a limit.
func extractNote(content, intent string) eval.NoteAnswer {
	return answerOf(reflection.Extract(reflection.Note{Content: content, Intent: loci.Intent(intent)}), content)
}

func answerOf(x *reflection.Extraction, content string) eval.NoteAnswer {
	var a eval.NoteAnswer
	for i := range x.Candidates {
		c := &x.Candidates[i]
		a.Candidates = append(a.Candidates, eval.NoteCandidate{Kind: string(c.Kind), Start: c.RuneStart, End: c.RuneEnd,
			Confidence: &c.Confidence})
	}
	for _, r := range x.Relations {
		if r.Type != "supersedes" && r.Type != "contradicts" {
			continue // such as an owner or a day, for which sets have no labels
		}
		a.Relations = append(a.Relations, eval.NoteRelation{Type: r.Type, FromStart: r.From.RuneStart,
			FromEnd: r.From.RuneEnd, ToStart: r.To.RuneStart, ToEnd: r.To.RuneEnd})
	}
	runes, at := 0, 0
	for _, m := range sensitive.Find(content) { // in order
		runes, at = runes+utf8.RuneCountInString(content[at:m.Start]), m.Start
		length := utf8.RuneCountInString(content[m.Start:m.End])
		a.Sensitive = append(a.Sensitive, eval.NoteSecret{Start: runes, End: runes + length, Type: string(m.Type)})
	}
	return a
}

// relateTexts is the relater that `loci eval reflect` measures.
func relateTexts(older, newer string) string { return string(reflection.Relate(older, newer).Bond) }
