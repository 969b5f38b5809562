package app_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// BenchmarkCreate saves memories without a key, one writer after the other and 16 at once.
func BenchmarkCreate(b *testing.B) {
	st, err := sqlite.Open(b.Context(), sqlite.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	a := app.New(app.Options{Store: st, Now: time.Now})
	org, _, err := a.Setup(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	p := loci.Principal{Kind: loci.KindUser, OrgID: org.ID, UserID: org.OwnerID, Origin: "api"}
	save := func(b *testing.B) {
		_, err := a.Create(b.Context(), p, app.Draft{Title: someWords(4), Content: someWords(40), Tags: []string{"ops"}})
		if err != nil {
			b.Error(err)
		}
	}
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			save(b)
		}
	})
	b.Run("sixteen", func(b *testing.B) {
		b.SetParallelism(8)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				save(b)
			}
		})
	})
}

// someWords are as often in a text as words are: one in the first ten is a hundred times as frequent as one of the last thousand.
func someWords(n int) string {
	var text []string
	for range n {
		text = append(text, "word"+strconv.Itoa(int(math.Exp(rand.Float64()*9)))) // up to 8,103
	}
	return strings.Join(text, " ")
}
