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

// stemSlots keep stems of frequent words, because a stemmer takes most of the time of an analysis. A form has one
// slot, in which another form may replace it. All of them take less than 1 MB.
var (
	stemSlots [1 << 13]atomic.Pointer[stemmed]
	stemSeed  = maphash.MakeSeed()
)

// snowball applies a Snowball stemmer.
func (a *Analyzer) snowball(form string, one Languages) string {
	slot := &stemSlots[(maphash.String(stemSeed, form)+uint64(one)*0x9e3779b97f4a7c15)%uint64(len(stemSlots))]
	if s := slot.Load(); s != nil && s.one == one && s.form == form {
		return s.stem
	}
	if a.env == nil {
		a.env = snowballstem.NewEnv("")
	}
	a.env.SetCurrent(form)
	stemmers[one](a.env)
	stem := a.env.Current()
	slot.Store(&stemmed{one, strings.Clone(form), strings.Clone(stem)}) // form may be part of a long text
	return stem
}
