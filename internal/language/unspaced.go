package language

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The groups of scripts that are written without spaces between words, or, as Korean, with endings
// that are joined to them. A run has characters of one group.
const (
	cjk    = 1 + iota // ideographs and kana
	hangul            // Korean
	brahmi            // Thai, Lao, Khmer, Burmese
)

// unspaced returns the group of a character, 0 if words of its script have spaces between them.
func unspaced(r rune) uint8 {
	switch {
	case r < 0x0e00:
		return 0
	case r < 0x0f00, r >= 0x1000 && r < 0x10a0, r >= 0x1780 && r < 0x1800:
		if unicode.IsLetter(r) || unicode.IsMark(r) {
			return brahmi
		}
	case r >= 0x1100 && r < 0x1200, r >= 0x3131 && r < 0x3190, r >= 0xac00 && r < 0xd7fc, r >= 0xffa0 && r < 0xffdd:
		if unicode.IsLetter(r) {
			return hangul
		}
	case r >= 0x3041 && r < 0x3100, r >= 0x3400 && r < 0x4dc0, r >= 0x4e00 && r < 0xa000, r == '々', r == '〆',
		r >= 0xf900 && r < 0xfb00, r >= 0xff66 && r < 0xffa0, r >= 0x20000 && r < 0x323b0, r >= 0x2e80 && r < 0x2fe0,
		r >= 0x32ff && r < 0x3400:
		if r != '゠' && r != '・' {
			return cjk
		}
	}
	return 0
}

// unit is one character of a run, with its marks.
type unit struct {
	at         int // its folded form begins here in Analyzer.buf
	start, end int // in the text
	alone      bool
}

// unspaced appends the pairs of neighbouring characters of the run at i, and returns where it ends.
func (a *Analyzer) unspaced(i int) int {
	if i == a.number.end || i == a.number.end+1 && a.text[i-1] == ' ' {
		a.unitAfter(i)
	}
	first, _ := utf8.DecodeRuneInString(a.text[i:])
	group := unspaced(first)
	end := a.run(i, group)
	units := a.units
	for k, u := range units {
		if u.alone || len(units) == 1 {
			a.beside(a.unitForm(k, 1), u.start, u.end, a.position+k)
		}
		if k+1 < len(units) {
			a.beside(a.unitForm(k, 2), u.start, units[k+1].end, a.position+k)
		}
	}
	if group == hangul && len(units) > 1 && len(units) <= 3 && particles[a.unitForm(1, len(units)-1)] {
		a.beside(a.unitForm(0, 1), units[0].start, units[0].end, a.position)
	}
	if group == cjk {
		a.readings()
	}
	a.position += len(units)
	if n := len(units); n > 1 && !units[n-1].alone {
		a.position-- // no pair begins with the last character, and phrases need every position
	}
	return end
}

// longestReading is how many characters a word in kana.txt has at most.
const longestReading = 4

// kana maps words with ideographs to the same words in kana.
var kana = sync.OnceValue(func() map[string]string {
	table := map[string]string{}
	for _, line := range Lines("kana") {
		if word, reading, ok := strings.Cut(line, " "); ok {
			table[fold(word)] = fold(reading)
		}
	}
	return table
})

// readings appends the pairs of kana of the words that people write in kana as well.
func (a *Analyzer) readings() {
	table := kana()
	for k := range a.units {
		for n := min(longestReading, len(a.units)-k); n > 0; n-- {
			last := k + n - 1
			if !a.units[k].alone && !a.units[last].alone || n == 1 && (a.ideograph(k-1) || a.ideograph(k+1)) {
				continue
			}
			reading := table[a.unitForm(k, n)]
			if reading == "" {
				continue
			}
			const size = len("あ")
			for i := 0; i+2*size <= len(reading); i += size {
				at := min(k+i/size, last)
				a.beside(reading[i:i+2*size], a.units[k].start, a.units[last].end, a.position+at)
			}
			break
		}
	}
}

// ideograph reports whether there is a character k in the run, and whether it is an ideograph.
func (a *Analyzer) ideograph(k int) bool { return k >= 0 && k < len(a.units) && a.units[k].alone }

// particles follow a Korean noun. Nouns of one syllable would not be found without them, because
// they are part of no pair that is free of the particle.
var particles = Set("은 는 이 가 을 를 의 에 와 과 도 로 만 으로 에서 에게 한테 까지 부터 이나 처럼 하고 이랑 마다 보다")

// unitForm returns the folded form of n characters of the run.
func (a *Analyzer) unitForm(k, n int) string {
	end := len(a.buf)
	if k+n < len(a.units) {
		end = a.units[k+n].at
	}
	return a.intern(a.buf[a.units[k].at:end])
}

// run reads the run of one group at i into units and buf.
func (a *Analyzer) run(i int, group uint8) (end int) {
	a.units, a.buf = a.units[:0], a.buf[:0]
	for i < len(a.text) {
		r, size := utf8.DecodeRuneInString(a.text[i:])
		if unspaced(r) != group {
			if len(a.units) == 0 || !(silent(r) || unicode.IsMark(r)) {
				break
			}
			a.units[len(a.units)-1].end += size
			i += size
			continue
		}
		if group == brahmi {
			a.syllable(r, i, i+size)
			i += size
			continue
		}
		if next, _ := utf8.DecodeRuneInString(a.text[i+size:]); composed(r) && next != 0x3099 && next != 0x309a {
			a.unit(r, i, i+size)
			i += size
			continue
		}
		size = max(size, norm.NFKC.NextBoundaryInString(a.text[i:], true))
		for _, part := range norm.NFKC.String(a.text[i : i+size]) {
			a.unit(part, i, i+size)
		}
		i += size
	}
	return i
}

// composed reports whether a character of these scripts is in the form that NFKC gives.
func composed(r rune) bool {
	return r >= 0x4e00 && r < 0xa000 || r >= 0xac00 && r < 0xd7a4 || r >= 0x3041 && r < 0x3097 || r >= 0x30a1 && r < 0x30ff
}

func (a *Analyzer) unit(r rune, start, end int) {
	if a.foreignVowel(r) {
		a.units[len(a.units)-1].end = end
		return
	}
	at := len(a.buf)
	if a.buf = appendFolded(a.buf, r); len(a.buf) > at {
		a.units = append(a.units, unit{at: at, start: start, end: end, alone: unicode.Is(unicode.Han, r)})
	}
}

// foreignVowel joins a small vowel with the ヴ before it, and reports whether it did: ヴァ is also written バ.
func (a *Analyzer) foreignVowel(r rune) bool {
	if len(a.units) == 0 {
		return false
	}
	last := a.units[len(a.units)-1].at
	if string(a.buf[last:]) != "ゔ" {
		return false
	}
	to := map[rune]string{'ぁ': "ば", 'ぃ': "び", 'ぇ': "べ", 'ぉ': "ぼ"}[foldIdeograph(r)]
	if to == "" {
		a.buf = append(a.buf[:last], "ぶ"...)
		return false
	}
	a.buf = append(a.buf[:last], to...)
	return true
}

// syllable appends one character of a script whose marks are vowels and tones: they belong to the
// consonant before them.
func (a *Analyzer) syllable(r rune, start, end int) {
	if unicode.IsMark(r) && len(a.units) > 0 {
		a.units[len(a.units)-1].end = end
	} else {
		a.units = append(a.units, unit{at: len(a.buf), start: start, end: end})
	}
	a.buf = utf8.AppendRune(a.buf, r)
}
