package recall

import (
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

const ellipsis = "…"

// SnippetWidth is about how many characters of text a snippet has. The first found word has up to
// snippetLead of them before it.
const (
	SnippetWidth = 160
	snippetLead  = SnippetWidth / 4
)

// place is a part of a text that matches a query, and the word that it matches.
type place struct {
	start, end int
	word       string
	unmarked   bool // it only says where the answer may be
}

// snippet returns the part of text with the most different words of places, cut at words, with each place marked.
// Without places it returns the beginning of text. Places are ordered by their start.
func snippet(text string, places []place) loci.Snippet {
	start, end := window(text, bestWindow(places))
	var pieces []loci.Piece
	if start > 0 {
		pieces = append(pieces, loci.Piece{Text: ellipsis})
	}
	at := start
	for _, p := range merged(places, start, end) {
		pieces = append(pieces, loci.Piece{Text: text[at:p.start]}, loci.Piece{Text: text[p.start:p.end], Marked: true})
		at = p.end
	}
	pieces = append(pieces, loci.Piece{Text: text[at:end]})
	if end < len(text) {
		pieces = append(pieces, loci.Piece{Text: ellipsis})
	}
	return loci.SnippetOf(pieces)
}

// merged returns the places from start to end. It joins those that overlap or touch, as those of
// neighbouring ideographs do.
func merged(places []place, start, end int) (out []place) {
	for _, p := range places {
		switch n := len(out); {
		case p.unmarked, p.start < start || p.end > end:
		case n > 0 && p.start <= out[n-1].end:
			out[n-1].end = max(out[n-1].end, p.end)
		default:
			out = append(out, p)
		}
	}
	return out
}

// maxFound bounds the work on a text that consists of the searched word.
const maxFound = 2000

// bestWindow returns where the bytes behind the lead of a snippet begin, so that they have the most different words.
func bestWindow(places []place) int {
	best, from := 0, 0
	for i, j := 0, 0; i < len(places); i++ {
		for j < len(places) && places[j].end-places[i].start <= SnippetWidth-snippetLead {
			j++
		}
		if j-i <= best {
			continue
		}
		if n := distinctWords(places[i:j]); n > best {
			best, from = n, places[i].start
		}
	}
	return from
}

func distinctWords(places []place) int {
	seen := make(map[string]bool, len(places))
	for _, m := range places {
		seen[m.word] = true
	}
	return len(seen)
}

// window returns SnippetWidth bytes of text, starting a little before at, moved to the boundaries of words.
func window(text string, at int) (start, end int) {
	start = max(0, at-snippetLead)
	end = min(len(text), start+SnippetWidth)
	if start > 0 {
		if i := strings.IndexByte(text[start:at], ' '); i >= 0 {
			start += i + 1
		}
	}
	if end < len(text) && text[end] != ' ' {
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
