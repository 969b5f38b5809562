package client_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

// TestTagsHoldTheLimits compares what the tags of the wire structs say with
// the constants that app checks: the OpenAPI document must not promise more or
// less.
func TestTagsHoldTheLimits(t *testing.T) {
	constants := map[string]int{"title": loci.MaxTitle, "content": loci.MaxContent, "summary": loci.MaxSummary,
		"key":      loci.MaxKey,
		"category": loci.MaxCategory, "source": loci.MaxSource, "term": loci.MaxTerm, "origin": loci.MaxVendorLength,
		"tags":            loci.MaxTag,
		"allowed_vendors": loci.MaxVendorLength}
	mayBeEmpty := map[string]bool{"summary": true, "key": true, "allowed_vendors": true}
	items := map[string]int{"tags": loci.MaxTags, "allowed_vendors": loci.MaxVendors, "ids": loci.MaxIDs}
	queries := map[string]int{"SearchRequest": loci.MaxTerm, "QueryRequest": loci.MaxQuery}
	limits := map[string]int{"ListRequest": gate.MaxPage, "BrowseRequest": 200, "ByTagRequest": 100, "SearchRequest": 50,
		"NewestRequest": 50, "QueryRequest": memory.MaxQuery}

	for _, v := range []any{client.NewMemory{}, client.Replacement{}, client.Edit{}, client.Filter{},
		client.ListRequest{}, client.BrowseRequest{},
		client.ByTagRequest{}, client.SearchRequest{}, client.NewestRequest{}, client.QueryRequest{}} {
		typ := reflect.TypeOf(v)
		for _, f := range reflect.VisibleFields(typ) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			at := typ.Name() + "." + name
			if want, ok := constants[name]; ok {
				check(t, at, f, "maxLength", want)
				if !mayBeEmpty[name] {
					check(t, at, f, "minLength", 1)
				}
			}
			if want, ok := items[name]; ok {
				check(t, at, f, "maxItems", want)
			}
			switch name {
			case "query":
				check(t, at, f, "maxLength", queries[typ.Name()])
			case "limit":
				check(t, at, f, "minimum", 1)
				check(t, at, f, "maximum", limits[typ.Name()])
			case "offset":
				check(t, at, f, "maximum", gate.MaxOffset)
			case "importance":
				check(t, at, f, "minimum", loci.MinImportance)
				check(t, at, f, "maximum", loci.MaxImportance)
			}
		}
	}
}

// TestGraphTagsHoldTheLimits is the same for projects and graphs.
func TestGraphTagsHoldTheLimits(t *testing.T) {
	lengths := map[string]int{"description": loci.MaxDescription, "entity_type": loci.MaxGraphType,
		"from_type": loci.MaxGraphType, "to_type": loci.MaxGraphType,
		"relation_type": loci.MaxGraphType, "from": loci.MaxEntityName, "to": loci.MaxEntityName,
		"entity_name": loci.MaxEntityName, "names": loci.MaxEntityName,
		"contents": loci.MaxObservation, "allowed_vendors": loci.MaxVendorLength}
	for _, v := range []any{client.NewProject{}, client.ProjectEdit{}, client.EntityRef{}, client.NewEntity{},
		client.NewEntities{}, client.NewObservations{},
		client.AddedObservations{}, client.NewRelation{}, client.NewRelations{}, client.EntityNames{},
		client.OldObservations{}, client.ObservationDeletions{},
		client.RelationDeletions{}, client.GraphVendors{}} {
		typ := reflect.TypeOf(v)
		for _, f := range reflect.VisibleFields(typ) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			at := typ.Name() + "." + name
			if f.Type.Kind() == reflect.Slice {
				check(t, at, f, "maxItems", map[bool]int{true: loci.MaxVendors,
					false: loci.MaxGraphItems}[name == "allowed_vendors"])
			}
			want, known := lengths[name]
			switch {
			case name == "name" && strings.Contains(typ.Name(), "Project"):
				want, known = loci.MaxName, true
			case name == "name":
				want, known = loci.MaxEntityName, true
			case name == "observations" && f.Type.Elem().Kind() == reflect.String:
				want, known = loci.MaxObservation, true
			case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.String && !known:
				t.Errorf("%s has no limit here", at)
			}
			if known && f.Type != reflect.TypeFor[loci.EntityID]() {
				check(t, at, f, "maxLength", want)
			}
		}
	}
}

func check(t *testing.T, at string, f reflect.StructField, tag string, want int) {
	t.Helper()
	if got := f.Tag.Get(tag); got != strconv.Itoa(want) {
		t.Errorf("%s: tag %s is %q, want %d", at, tag, got, want)
	}
}
