// Package bench compares a running server with SQLite itself in the same run, for `loci bench`. The
// process that measures also produces the load. So its figures are ratios for comparison, not
// records. The invariant: every printed figure was measured in that run.
package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

// corpus creates realistic memories: about 285 bytes of text from a vocabulary in which few words
// are frequent, 1 to 3 of 40 tags, 4 vendors. The same seed gives the same memories.
type corpus struct {
	random *rand.Rand
	words  []string
	user   loci.UserID
	made   int
}

const (
	vocabulary = 24_000
	tagCount   = 40
)

var vendors = []loci.Vendor{"claude", "cursor", "chatgpt", "codex"}

func newCorpus(seed uint64, user loci.UserID) *corpus {
	c := &corpus{random: rand.New(rand.NewPCG(seed, 1)), user: user}
	letters := rand.New(rand.NewPCG(1, 1)) // the same words for every seed
	for range vocabulary {
		var b strings.Builder
		for range 2 + letters.IntN(3) {
			b.WriteByte("bdfgklmnprstvz"[letters.IntN(14)])
			b.WriteByte("aeiou"[letters.IntN(5)])
		}
		c.words = append(c.words, b.String()+"n")
	}
	return c
}

// word draws a word by rank: the density falls as 1/(rank + a little).
func (c *corpus) word() string {
	u := c.random.Float64()
	rank := int(2.7 * (math.Pow(float64(vocabulary)/2.7+1, u) - 1))
	return c.words[min(rank, vocabulary-1)]
}

func (c *corpus) text(words int) string {
	out := make([]string, words)
	for i := range out {
		out[i] = c.word()
	}
	return strings.Join(out, " ")
}

// next returns a new memory as the server would store it.
func (c *corpus) next() *loci.Memory {
	c.made++
	m := &loci.Memory{ID: loci.NewMemoryID(), Title: c.text(4), Content: c.text(42)}
	m.CreatedAt = time.UnixMicro(1_750_000_000_000_000 + int64(c.made)*1000).UTC()
	m.UpdatedAt = m.CreatedAt
	m.OrgID, m.UserID = loci.DefaultOrg, c.user
	m.Origin = string(vendors[c.random.IntN(len(vendors))])
	m.Version, m.Change, m.Editor = 1, loci.Created, m.Origin
	for range 1 + c.random.IntN(3) {
		m.Tags = append(m.Tags, c.tag())
	}
	m.SetDefaults()
	if err := m.Validate(); err != nil {
		panic(err) // a bug in the generator
	}
	return m
}

func (c *corpus) tag() string { return fmt.Sprintf("tag-%02d", c.random.IntN(tagCount)) }
