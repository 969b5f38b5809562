package loci

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
