package recall

import (
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// These are the marks around a found word in a snippet.
const (
	MarkStart = "**"
	MarkEnd   = "**"
	ellipsis  = "…"
)

// SnippetWidth is about how many characters of text a snippet has.
const SnippetWidth = 160

// Snippet returns the part of text with the most words of the query, cut at words, with each
// found word between MarkStart and MarkEnd. If no word of the query occurs, it returns the
// beginning of text.
func (q Query) Snippet(text string) string {
	found := q.find(text)
	from := bestWindow(found)
	start, end := window(text, from)
	var out strings.Builder
	if start > 0 {
		out.WriteString(ellipsis)
	}
	at := start
	for _, w := range found {
		if w.Start < at || w.End > end {
			continue
		}
		out.WriteString(text[at:w.Start] + MarkStart + text[w.Start:w.End] + MarkEnd)
		at = w.End
	}
	out.WriteString(text[at:end])
	if end < len(text) {
		out.WriteString(ellipsis)
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// find returns the words of text that match the query.
func (q Query) find(text string) (found []loci.Word) {
	if q.parts != nil {
		return q.findParts(text)
	}
	var a loci.Analyzer
	a.Words(text, func(w loci.Word) bool {
		if q.wants(w) {
			found = append(found, w)
		}
		return len(found) < maxFound
	})
	return found
}

// maxFound bounds the work on a text that consists of the searched word.
const maxFound = 500

func (q Query) wants(w loci.Word) bool {
	for _, t := range q.Terms {
		for i, word := range t.Words {
			if word == w.Stem || word == w.Form || t.Prefix && i == len(t.Words)-1 && strings.HasPrefix(w.Form, word) {
				return true
			}
		}
	}
	return false
}

// bestWindow returns where the SnippetWidth bytes with the most found words begin.
func bestWindow(found []loci.Word) int {
	best, from := 0, 0
	for i, j := 0, 0; i < len(found); i++ {
		for j < len(found) && found[j].End-found[i].Start <= SnippetWidth {
			j++
		}
		if distinctWords(found[i:j]) > best {
			best, from = distinctWords(found[i:j]), found[i].Start
		}
	}
	return from
}

func distinctWords(words []loci.Word) int {
	seen := make(map[string]bool, len(words))
	for _, w := range words {
		seen[w.Stem] = true
	}
	return len(seen)
}

// window returns SnippetWidth bytes of text, starting a little before at, moved to the boundaries
// of words.
func window(text string, at int) (start, end int) {
	start = max(0, at-SnippetWidth/4)
	end = min(len(text), start+SnippetWidth)
	if start > 0 {
		if i := strings.IndexByte(text[start:at], ' '); i >= 0 {
			start += i + 1
		}
	}
	if end < len(text) {
		if i := strings.LastIndexByte(text[start:end], ' '); i > SnippetWidth/2 {
			end = start + i
		}
	}
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return start, end
}
