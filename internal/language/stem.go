package language

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
)

// stemmers are the Snowball stemmers (snowballstem.org). Turkish is not among them: its stemmer
// needs letters that folding removes.
var stemmers = map[Languages]func(*snowballstem.Env) bool{
	English: english.Stem, German: german.Stem, French: french.Stem, Spanish: spanish.Stem, Italian: italian.Stem,
	Portuguese: portuguese.Stem, Dutch: dutch.Stem, Swedish: swedish.Stem, Norwegian: norwegian.Stem,
	Danish: danish.Stem, Finnish: finnish.Stem, Hungarian: hungarian.Stem, Romanian: romanian.Stem,
	Russian: russian.Stem, Ukrainian: russian.Stem, Arabic: arabic.Stem, Tamil: tamil.Stem,
}

// Stems returns the stems of a form in these languages, each once and without the form itself. Two
// forms belong to one word if the form or a stem of the one equals the form or a stem of the other.
func (a *Analyzer) Stems(form string, langs Languages) []string {
	var stems []string
	add := func(stem string) {
		if stem != "" && stem != form && !slices.Contains(stems, stem) {
			stems = append(stems, stem)
		}
	}
	if utf8.RuneCountInString(form) < 3 || strings.ContainsAny(form, "0123456789./@\\:") {
		return nil
	}
	first, _ := utf8.DecodeRuneInString(form)
	script := scriptOf(first)
	if first < utf8.RuneSelf {
		script = English
	}
	for one := range langs.Each {
		if !sameScript(one, script) {
			continue
		}
		a.stemsIn(form, one, add)
	}
	return stems
}

// sameScript reports whether a language is written in the script that scriptOf found.
func sameScript(one, script Languages) bool {
	switch script {
	case English:
		return one&latin != 0
	case Russian:
		return one&(Russian|Ukrainian) != 0
	case Arabic:
		return one&(Arabic|Persian) != 0
	}
	return one == script
}

func (a *Analyzer) stemsIn(form string, one Languages, add func(string)) {
	switch one {
	case Turkish:
		add(turkishStem(form))
		return
	case Polish, Czech:
		add(slavicStem(form))
		return
	case Arabic:
		arabicStems(form, add)
	case German:
		// ä, ö and ü are also written ae, oe and ue.
		if plain := umlauts.Replace(form); plain != form && !strings.Contains(form, "que") {
			add(plain)
			add(a.snowball(plain, German))
		}
	case Ukrainian:
		add(a.snowball(ukrainian.Replace(form), Russian))
		return
	case French, Spanish, Portuguese:
		add(romance(a.snowball(accented(form, one), one)))
		return
	}
	if stemmers[one] != nil {
		add(a.snowball(form, one))
	}
}

var (
	umlauts   = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")
	ukrainian = strings.NewReplacer("і", "и", "ї", "и", "є", "е", "ґ", "г")
)

// endings are the endings with accents that the stemmers know, without their accents.
var endings = map[Languages][][2]string{
	Spanish:    {{"cion", "ción"}, {"sion", "sión"}, {"logia", "logía"}},
	Portuguese: {{"cao", "ção"}, {"coes", "ções"}, {"encia", "ência"}, {"encias", "ências"}},
	French: {{"ees", "ées"}, {"ee", "ée"}, {"ite", "ité"}, {"ites", "ités"}, {"er", "er"}, {"ement", "ement"},
		{"erent", "èrent"}},
}

// accented restores the accent of an ending, so that a stemmer recognises it.
func accented(form string, one Languages) string {
	for _, e := range endings[one] {
		if stem, ok := strings.CutSuffix(form, e[0]); ok && len(stem) > 2 {
			return stem + e[1]
		}
	}
	return form
}

// romance folds a stem again and drops a last vowel.
func romance(stem string) string {
	stem = fold(stem)
	if len(stem) > 4 {
		stem = strings.TrimRight(stem, "aeiou")
	}
	return stem
}

// stemmed is a form with its stem in one language.
type stemmed struct {
	one        Languages
	form, stem string
}

// These keep stems of frequent words, because a stemmer takes most of the time of an analysis. A form has one slot
// in each, in which another form may replace it. All of them take less than 1 MB.
var (
	// stemLengths are of forms that begin with their stems, which most do: the hash of the form and the language,
	// whose last byte is the length of the stem instead. They are small enough for the caches of a processor. Of 2^56
	// pairs of forms, one has the same hash.
	stemLengths [1 << 14]atomic.Uint64
	stemSlots   [1 << 12]atomic.Pointer[stemmed] // of other forms
	stemSeed    = maphash.MakeSeed()
)

func (a *Analyzer) snowball(form string, one Languages) string {
	hash := maphash.String(stemSeed, form) + uint64(one)*0x9e3779b97f4a7c15
	length := &stemLengths[hash>>8%uint64(len(stemLengths))]
	if n := length.Load(); n != 0 && n>>8 == hash>>8 {
		return form[:min(int(n&0xff), len(form))]
	}
	slot := &stemSlots[hash>>8%uint64(len(stemSlots))]
	if s := slot.Load(); s != nil && s.one == one && s.form == form {
		return s.stem
	}
	if a.env == nil {
		a.env = snowballstem.NewEnv("")
	}
	a.env.SetCurrent(form)
	stemmers[one](a.env)
	stem := a.env.Current()
	if n := len(stem); n <= 0xff && strings.HasPrefix(form, stem) {
		length.Store(hash&^0xff | uint64(n))
		return form[:n]
	}
	slot.Store(&stemmed{one, strings.Clone(form), strings.Clone(stem)}) // form may be part of a long text
	return stem
}
