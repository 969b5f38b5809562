package loci

// Recalled is a memory that a search found, with why.
type Recalled struct {
	Memory
	Score   float64  `json:"score" doc:"Comparable within one search only"`
	Snippet string   `json:"snippet" doc:"The part of the content that fits best, found words marked"`
	Why     Why      `json:"why"`
	Sources []Source `json:"sources" nullable:"false" doc:"Where it comes from, oldest first, as far as the reader may see"`
}

// Why says why a memory was found, and why it stands where it does.
type Why struct {
	Terms []WhyTerm `json:"terms" nullable:"false" doc:"The words of the query that it has, the one that counts most first"`
	// Boosts are what decides between memories of the same score.
	Boosts []string `json:"boosts" nullable:"false" doc:"What put it before others of the same score: pinned, importance"`
	// Fallback is "" if the words themselves were found.
	Fallback string `json:"fallback,omitempty" enum:"prefix,substring" doc:"No memory had the words themselves: words that begin like them were taken, or text that contains them"`
}

// WhyTerm is a word of the query that a memory has.
type WhyTerm struct {
	Term   string   `json:"term" doc:"As the query has it"`
	Fields []string `json:"fields" nullable:"false" doc:"Where it stands: title, content, summary, key, category, tags"`
	Score  float64  `json:"score" doc:"Its part of the score"`
}
