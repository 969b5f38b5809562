package memory

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// An event passes a filter only if the filter has nothing that events lack. Otherwise a filtered search would find
// events that the filter excludes.
func TestEventsPassOnlyFiltersThatTheyHave(t *testing.T) {
	t.Parallel()
	at := time.Unix(1, 0)
	for name, tt := range map[string]struct {
		filter store.Filter
		want   bool
	}{
		"none": {store.Filter{}, true},
		"those that events have": {store.Filter{Tags: []string{"t"}, Origin: "o", ProjectID: loci.ProjectID{1},
			AgentID: loci.AgentID{1}, SessionID: loci.SessionID{1}, From: at, To: at}, true},
		"type":        {store.Filter{Type: "t"}, false},
		"category":    {store.Filter{Category: "c"}, false},
		"key":         {store.Filter{Key: "k"}, false},
		"scope":       {store.Filter{Scope: loci.ScopeGlobal}, false},
		"team":        {store.Filter{TeamID: loci.TeamID{1}}, false},
		"pinned":      {store.Filter{Pinned: true}, false},
		"hidden from": {store.Filter{HiddenFrom: "v"}, false},
		"when":        {store.Filter{When: loci.When{AsOf: at}}, false},
	} {
		if _, got := eventFilter(&tt.filter); got != tt.want {
			t.Errorf("%s: got %t, want %t", name, got, tt.want)
		}
	}
}

func TestPresent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		filter Filter
		want   bool
	}{
		"live":         {Filter{}, true},
		"the trash":    {Filter{Lifecycle: loci.TrashOnly}, false},
		"expired":      {Filter{Lifecycle: loci.ExpiredOnly}, false},
		"another time": {Filter{When: loci.When{AsOf: time.Unix(1, 0)}}, false},
	} {
		if got := present(&tt.filter); got != tt.want {
			t.Errorf("%s: got %t, want %t", name, got, tt.want)
		}
	}
}

func TestSameSource(t *testing.T) {
	t.Parallel()
	one := loci.Source{Kind: loci.SourceText, Ref: "r", Text: "t", Quote: "q", Start: 1, End: 2, Origin: "claude",
		AllowedVendors: []loci.Vendor{"claude"}}
	for name, change := range map[string]func(*loci.Source){
		"kind":    func(s *loci.Source) { s.Kind = loci.SourceURL },
		"ref":     func(s *loci.Source) { s.Ref = "s" },
		"text":    func(s *loci.Source) { s.Text = "s" },
		"quote":   func(s *loci.Source) { s.Quote = "s" },
		"start":   func(s *loci.Source) { s.Start++ },
		"end":     func(s *loci.Source) { s.End++ },
		"writer":  func(s *loci.Source) { s.Origin = "cursor" },
		"readers": func(s *loci.Source) { s.AllowedVendors = []loci.Vendor{"cursor"} },
	} {
		two := one
		if !sameSource(&one, &two) {
			t.Fatal("a source is not the same as itself")
		}
		if change(&two); sameSource(&one, &two) {
			t.Errorf("with another %s, it is the same source", name)
		}
	}
}

// A source has no more readers than its memory.
func TestSourcesHaveTheReadersOfTheirMemory(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		memory, source []loci.Vendor
		want           string
	}{
		"of all, for one":   {[]loci.Vendor{loci.AnyVendor}, []loci.Vendor{"claude"}, ""},
		"the same":          {[]loci.Vendor{"claude"}, []loci.Vendor{"claude"}, ""},
		"of one, for other": {[]loci.Vendor{"claude"}, []loci.Vendor{"cursor"}, "source.allowed_vendors"},
	} {
		m, s := &loci.Memory{}, &loci.Source{Kind: loci.SourceText, Text: "t", AllowedVendors: tt.source}
		m.AllowedVendors = tt.memory
		if got := loci.FieldOf(checkSource(m, s, "source")); got != tt.want {
			t.Errorf("%s: got an error about %q, want %q", name, got, tt.want)
		}
	}
}

// A draft is checked against the projects of its writer, except where the memory stays.
func TestDraftsAreOfTheProjectsOfTheirWriter(t *testing.T) {
	t.Parallel()
	mine, theirs := loci.ProjectID{1}, loci.ProjectID{2}
	of := func(scope loci.Scope, in loci.ProjectID) *loci.Memory {
		m := &loci.Memory{ID: loci.NewMemoryID()}
		m.UserID = loci.UserID{1}
		m.Title, m.Content, m.Scope, m.ProjectID, m.Version = "t", "c", scope, in, 1
		m.AllowedVendors = []loci.Vendor{loci.AnyVendor}
		m.SetDefaults()
		return m
	}
	p := loci.Principal{ProjectIDs: []loci.ProjectID{mine}}
	limited := p
	limited.OnlyProjects = true
	none := &loci.Memory{}
	for name, tt := range map[string]struct {
		who       loci.Principal
		m, before *loci.Memory
		want      bool
	}{
		"no project":                      {p, of(loci.ScopeGlobal, loci.ProjectID{}), none, true},
		"out of a project":                {p, of(loci.ScopeGlobal, loci.ProjectID{}), of(loci.ScopeGlobal, theirs), true},
		"no project, with a limited key":  {limited, of(loci.ScopeGlobal, loci.ProjectID{}), none, false},
		"their project":                   {p, of(loci.ScopeGlobal, mine), none, true},
		"their project, with limited key": {limited, of(loci.ScopeGlobal, mine), none, true},
		"another project":                 {p, of(loci.ScopeGlobal, theirs), none, false},
		"to another project":              {p, of(loci.ScopeGlobal, theirs), of(loci.ScopeGlobal, mine), false},
		"stays in another project":        {p, of(loci.ScopeGlobal, theirs), of(loci.ScopeGlobal, theirs), true},
		"shared with another project":     {p, of(loci.ScopeProject, theirs), of(loci.ScopeGlobal, theirs), false},
	} {
		if err := checkDraft(tt.who, tt.m, tt.before); (err == nil) != tt.want {
			t.Errorf("%s: got %v, want allowed: %t", name, err, tt.want)
		}
	}
}
