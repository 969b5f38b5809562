package loci

import (
	"slices"
	"strings"
	"time"
)

// Recalled is a memory that a search found, with the reasons.
type Recalled struct {
	Memory
	Rank       int      `json:"rank" doc:"Its place among the memories and events that were found, from 1" example:"1"`
	Score      float64  `json:"score" doc:"Higher is better; comparable only within one search"`
	Confidence float64  `json:"confidence" doc:"How likely it is that the memory answers the query, from 0 to 1" example:"0.87"`
	Snippet    Snippet  `json:"snippet" doc:"The passage that fits best, with found words between **"`
	Why        Why      `json:"why"`
	Sources    []Source `json:"sources" nullable:"false" doc:"Sources that you can see, oldest first"`
}

// RecalledEvent is an event that a recall found.
type RecalledEvent struct {
	Event
	Rank       int     `json:"rank" doc:"Its place among the memories and events that were found, from 1" example:"2"`
	Score      float64 `json:"score" doc:"Higher is better; comparable with the scores of the memories"`
	Confidence float64 `json:"confidence" doc:"How likely it is that the event answers the query, from 0 to 1" example:"0.87"`
	Snippet    Snippet `json:"snippet" doc:"The passage that fits best, with found words between **"`
	Why        Why     `json:"why"`
	// Alike counts events that are left out.
	Alike int `json:"alike,omitempty" doc:"How many more of the matches are events that say the same but for numbers and ids. They are left out"`
}

// RecalledEntity is an entity of a graph that answers a question, with the observations that fit best and
// its newest relations.
type RecalledEntity struct {
	Entity
	ProjectID ProjectID `json:"project_id" format:"uuid"`
	Project   string    `json:"project" doc:"The name of the project that has the graph"`
	Named     bool      `json:"named,omitempty" doc:"The query has the name of the entity"`
}

// Why explains why a search found a memory and how it was ranked.
type Why struct {
	Terms   []WhyTerm `json:"terms" nullable:"false" doc:"Words of the query that the memory contains, most important first"`
	Named   []string  `json:"named,omitempty" enum:"key,title" doc:"Fields that the query has as a whole: key, title"`
	Through []string  `json:"through,omitempty" doc:"Relations of the graph that lead from an entity in the query to a name in the memory" example:"[\"billing → owned_by → Ana\"]"`
	Meaning float64   `json:"meaning,omitzero" doc:"How similar it is in meaning to the query, up to 1, if a model of embeddings is in use" example:"0.41"`
	// Boosts decide the order of memories with the same score.
	Boosts []string `json:"boosts" nullable:"false" doc:"Why it ranks before others with the same score: current (others are superseded), pinned, importance or updated_at"`
	// Fallback is "" if the search found the words themselves.
	Fallback string `json:"fallback,omitempty" enum:"similar,prefix,substring" doc:"Set if the memory does not contain the words themselves: similar found words with a similar spelling, prefix found words that begin with them, substring found text that contains them"`
	// Signals is set only if the reader asked for it.
	Signals *WhySignals `json:"signals,omitempty" doc:"What adds up to the score"`
}

// These are the values of Why.Fallback.
const (
	FallbackSimilar = "similar"
	FallbackPrefix  = "prefix"
	FallbackPart    = "substring"
)

// FallbackNote tells a person how a memory matches that does not have the words of the query. It returns "" if it does.
func (w *Why) FallbackNote() string {
	switch w.Fallback {
	case FallbackSimilar:
		return "no memory has these words; these have words with a similar spelling"
	case FallbackPrefix:
		return "no memory has these words; these have words with the same beginning"
	case FallbackPart:
		return "no memory has these words; the text of these contains them"
	}
	return ""
}

// WhySignals is how much of a score comes from each signal. The figures add up to the score.
type WhySignals struct {
	Name     float64 `json:"name,omitzero" doc:"The key or the title of the memory is in the query as a whole"`
	Row      float64 `json:"row,omitzero" doc:"The words of the query in the memory"`
	Context  float64 `json:"context,omitzero" doc:"The words in the memory together with the ones before and after it in its session"`
	Session  float64 `json:"session,omitzero" doc:"The words in all memories of its session"`
	Passage  float64 `json:"passage,omitzero" doc:"The words in the passage of the memory that fits best"`
	Question float64 `json:"question,omitzero" doc:"The words in the memory before it, if that one asks something"`
	Actor    float64 `json:"actor,omitzero" doc:"A person whom the query names, or the person who asks, said it"`
	Self     float64 `json:"self,omitzero" doc:"That person speaks of themselves"`
	When     float64 `json:"when,omitzero" doc:"The query asks for a time, and the memory tells one"`
	Date     float64 `json:"date,omitzero" doc:"It happened at the time that the query names"`
	Graph    float64 `json:"graph,omitzero" doc:"It has the name of an entity that the graph relates to one in the query"`
	Meaning  float64 `json:"meaning,omitzero" doc:"It means something similar, by a model of embeddings"`
	Theme    float64 `json:"theme,omitzero" doc:"The memories of its session mean something similar"`
	Rule     float64 `json:"rule,omitzero" doc:"The query asks for help, and the memory states a rule or a preference"`
	Denies   float64 `json:"denies,omitzero" doc:"Less than 0: the memory denies something, and the query does not"`
}

// SignalPart is how much of a score comes from one signal.
type SignalPart struct {
	Name  string
	Score float64
}

// Parts returns the signals that add to the score, in the order of docs/recall.md.
func (s *WhySignals) Parts() []SignalPart {
	list := []SignalPart{{"name", s.Name}, {"row", s.Row}, {"context", s.Context}, {"session", s.Session},
		{"passage", s.Passage}, {"question", s.Question}, {"actor", s.Actor}, {"self", s.Self}, {"when", s.When},
		{"date", s.Date}, {"graph", s.Graph}, {"meaning", s.Meaning}, {"theme", s.Theme}, {"rule", s.Rule},
		{"denies", s.Denies}}
	return slices.DeleteFunc(list, func(p SignalPart) bool { return p.Score == 0 })
}

// WhyTerm is a word of the query that a memory contains.
type WhyTerm struct {
	Term string `json:"term" doc:"The word as written in the query"`
	// Similar is empty if the memory has the word itself.
	Similar []string `json:"similar,omitempty" doc:"Words of the memory that stand for the word: with a similar spelling, if no memory has it, or with a part of it, such as the year of a date"`
	Fields  []string `json:"fields" nullable:"false" doc:"Where the word occurs: title, content, summary, key, category, tags"`
	Score   float64  `json:"score" doc:"Its share of the score"`
}

// Label returns the word of the query, with those that stand for it.
func (t *WhyTerm) Label() string {
	if len(t.Similar) == 0 {
		return t.Term
	}
	return t.Term + " (as " + strings.Join(t.Similar, ", ") + ")"
}

// Facet is a field by whose values memories are counted.
type Facet string

// The facets. Tags and vendors count a memory once for each of its values; "*" stands for every vendor.
const (
	FacetOrigin   Facet = "origin"
	FacetVendor   Facet = "allowed_vendor"
	FacetTag      Facet = "tag"
	FacetCategory Facet = "category"
	FacetType     Facet = "memory_type"
	FacetScope    Facet = "scope"
	FacetProject  Facet = "project_id" // memories without a project have no value
	FacetPinned   Facet = "pinned"     // "true" or "false"
)

// MaxFacetValues is how many values of each facet are returned, the most frequent ones.
const MaxFacetValues = 100

// FacetCount is how many memories have a value.
type FacetCount struct {
	Value string `json:"value" example:"claude"`
	Count int    `json:"count" example:"12"`
}

// Facets says how many memories have which values.
type Facets struct {
	// Total is the number of the memories.
	Total int `json:"total" example:"120"`
	// Facets have the values by the most frequent and then by name, at most MaxFacetValues of each.
	Facets map[Facet][]FacetCount `json:"facets" nullable:"false" doc:"Counts by origin, allowed_vendor, tag, category, memory_type, scope, project_id and pinned: the 100 most frequent values of each"`
}

// ContextPack is what an assistant should know for a goal: a text within a budget of tokens, what it is made of, and
// what it leaves out.
type ContextPack struct {
	Goal      string    `json:"goal" doc:"The goal that was given"`
	SessionID SessionID `json:"session_id,omitzero" format:"uuid" doc:"The session that was given. It does not get the same things twice"`
	ProjectID ProjectID `json:"project_id,omitzero" format:"uuid" doc:"The project that was used, if one was given"`
	Project   string    `json:"project,omitempty" doc:"Its name"`
	// Context begins with PrefixBytes bytes that stay the same in a session, so that models can reuse them.
	Context     string `json:"context" doc:"Markdown. Stored words are quoted, between <memories> and </memories>"`
	PrefixBytes int    `json:"prefix_bytes" doc:"How many bytes at the beginning stay the same in the session: the preface and what is pinned. What is new comes after them"`
	// PrefixNew is set if the caller has not received this prefix in the session.
	PrefixNew bool `json:"prefix_new,omitempty" doc:"The session receives this prefix with this answer: with its first pack, after fresh, or because it has changed"`
	// PrefixChanged is set if what was pinned in the prefix has changed or is gone.
	PrefixChanged bool             `json:"prefix_changed,omitempty" doc:"The session had another prefix: something in it has changed or is gone"`
	Tokens        int              `json:"tokens" doc:"How many tokens the text has at most" example:"310"`
	MaxTokens     int              `json:"max_tokens" doc:"The most that it may have" example:"1000"`
	Sections      []ContextSection `json:"sections" nullable:"false" doc:"What the text has, in its order"`
	Receipt       ContextReceipt   `json:"receipt" doc:"What went in, what was left out, and why"`
	// NothingFits is set if nothing but what is pinned or new is in the pack.
	NothingFits bool `json:"nothing_fits,omitempty" doc:"What was found hardly fits the goal and was left out. Ask with min_confidence 0 to get it"`
	Partial     bool `json:"partial,omitempty" doc:"Something may be missing, because the time was over or a log could not be read"`
}

// ContextSectionName is a part of a ContextPack.
type ContextSectionName string

// These are the sections, in their order in the text.
const (
	SectionPinned     ContextSectionName = "pinned"
	SectionDecisions  ContextSectionName = "decisions"
	SectionFacts      ContextSectionName = "facts"
	SectionProcedures ContextSectionName = "procedures"
	SectionEvents     ContextSectionName = "events"
	SectionEntities   ContextSectionName = "entities"
)

// ContextSection is one section with its lines.
type ContextSection struct {
	Name  ContextSectionName `json:"name" enum:"pinned,decisions,facts,procedures,events,entities"`
	Items []ContextItem      `json:"items" nullable:"false"`
}

// ContextItem is one cited line.
type ContextItem struct {
	Kind   string    `json:"kind" enum:"memory,event,entity"`
	ID     string    `json:"id" doc:"The whole id. The text cites it, or of a memory its first 8 characters" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Text   string    `json:"text" doc:"What the line says, perhaps cut"`
	Origin string    `json:"origin,omitempty" doc:"Who wrote it" example:"claude"`
	Time   time.Time `json:"time" doc:"When it was last changed, or when it happened"`
	Score  float64   `json:"score,omitempty" doc:"How well it fits the goal; comparable within this pack only"`
	Reason string    `json:"reason" enum:"pinned,match,recent,graph,updated" doc:"Why it is there. updated: the session had an older version"`
}

// ContextReceipt accounts for a ContextPack.
type ContextReceipt struct {
	Included []ContextReceiptLine `json:"included" nullable:"false"`
	LeftOut  []ContextReceiptLine `json:"left_out" nullable:"false" doc:"At most 100"`
	// More is how many others were left out.
	More int `json:"more,omitempty" doc:"How many more were left out"`
}

// ContextReceiptLine is one thing that went in or was left out.
type ContextReceiptLine struct {
	Kind   string `json:"kind" enum:"memory,event,entity"`
	ID     string `json:"id"`
	Tokens int    `json:"tokens,omitempty" doc:"What its line costs"`
	Reason string `json:"reason" enum:"pinned,match,recent,graph,updated,budget,already_sent,instructs,cut" doc:"Included: why. Left out: budget (no room), already_sent (the session has it), instructs (it reads like an order to a model), cut (only a part went in)"`
}
