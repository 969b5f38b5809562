package language

import (
	"hash/maphash"
	"strings"
	"sync/atomic"

	"github.com/blevesearch/snowballstem"
)

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
