package loci

// Recalled is a memory that a search found, with the reasons.
type Recalled struct {
	Memory
	Score   float64  `json:"score" doc:"Higher is better; comparable only within one search"`
	Snippet string   `json:"snippet" doc:"The passage that fits best, with found words marked"`
	Why     Why      `json:"why"`
	Sources []Source `json:"sources" nullable:"false" doc:"Sources that you can see, oldest first"`
}

// Why explains why a search found a memory and how it was ranked.
type Why struct {
	Terms []WhyTerm `json:"terms" nullable:"false" doc:"Words of the query that the memory contains, most important first"`
	// Boosts decide the order of memories with the same score.
	Boosts []string `json:"boosts" nullable:"false" doc:"Why it ranks before others with the same score: pinned, importance or updated_at"`
	// Fallback is "" if the search found the words themselves.
	Fallback string `json:"fallback,omitempty" enum:"prefix,substring" doc:"Set if no memory contained the words themselves: prefix found words that begin with them, substring found text that contains them"`
}

// WhyTerm is a word of the query that a memory contains.
type WhyTerm struct {
	Term   string   `json:"term" doc:"The word as written in the query"`
	Fields []string `json:"fields" nullable:"false" doc:"Where the word occurs: title, content, summary, key, category, tags"`
	Score  float64  `json:"score" doc:"Its share of the score"`
}
