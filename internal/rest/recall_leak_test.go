package rest_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// TestHiddenAtNoTime draws a memory that changes its visibility, and demands of every
// read that takes a time that it shows the memory to whom the rule lets see it then and
// now, and answers anybody else, byte for byte, like a server that never stored it.
func TestHiddenAtNoTime(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	stranger := loci.NewUserID()
	ctx := context.Background()
	err := s.store.People().Add(ctx, loci.User{ID: stranger, OrgID: loci.DefaultOrg, Email: "x@y.z",
		Role: loci.RoleUser, OrgRole: loci.Member, CreatedAt: s.clock.Now()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		tag := "t" + strings.ReplaceAll(loci.NewMemoryID().String(), "-", "") // one word
		writer := s.owner
		if rapid.IntRange(0, 4).Draw(rt, "stranger") == 0 {
			writer.UserID = stranger
		}
		vendors := func(label string) []loci.Vendor {
			return rapid.SampledFrom([][]loci.Vendor{{"*"}, {"claude"}, {"cursor", "gemini"}}).Draw(rt, label)
		}
		d := memory.Draft{Title: "drawn " + tag, Content: "zebra " + tag, Tags: []string{tag}, Key: tag,
			Pinned: new(true), AllowedVendors: vendors("first")}
		saved, err := s.app.Memory.Create(ctx, writer, d)
		if err != nil {
			rt.Fatal(err)
		}
		first := saved.Memory.Clone()
		s.clock.advance(time.Minute)
		current := first
		switch rapid.SampledFrom([]string{"open or close", "open or close", "trash", "supersede", "nothing"}).Draw(rt,
			"change") {
		case "open or close":
			current, err = s.app.Memory.Patch(ctx, writer, first.ID, 0, memory.Patch{AllowedVendors: loci.Set(vendors("then")),
				Summary: loci.Set("changed")})
		case "trash":
			var gone *loci.TrashedMemory
			if gone, err = s.app.Memory.Trash(ctx, writer, first.ID, 0); err == nil {
				current = &gone.Memory
			}
		case "supersede":
			_, err = s.app.Memory.Create(ctx, writer, memory.Draft{Title: "in its place", Content: "other",
				Supersedes: []loci.MemoryID{first.ID}})
			if err == nil {
				current, err = s.app.Memory.GetAt(ctx, writer, first.ID, loci.When{Superseded: true})
			}
		}
		if err != nil {
			rt.Fatal(err)
		}
		s.clock.advance(time.Minute)
		w := loci.When{Superseded: rapid.Bool().Draw(rt, "superseded too")}
		then := current
		switch rapid.SampledFrom([]string{"known", "known", "true", "both"}).Draw(rt, "when") {
		case "known":
			w.KnownAt, then = first.UpdatedAt, first
		case "true":
			w.AsOf = first.UpdatedAt
		case "both":
			w.KnownAt, w.AsOf, then = first.UpdatedAt, first.UpdatedAt, first
		}
		for key, vendor := range readers {
			v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: s.owner.UserID, Vendor: vendor}
			visible := v.SeesAt(then, current, w, s.clock.Now())
			seen[visible]++
			s.checkAt(rt, key, first.ID.String(), tag, w, visible)
		}
	})
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("drawn: %v", seen)
	}
}

// readsAt are the reads that take a time: {id} is an id, {word} a word that
// only that memory has, {times} the times as parameters and {members} as
// members of a JSON object.
var readsAt = []string{
	`GET /agent/memories/{id}?{times}`,
	`GET /memories/recall?query={word}&{times}`,
	`GET /memories/recall?q=zebra&tags={word}&key={word}&pinned=true&scope=global&{times}`,
	`POST /memories/recall {"query":"{word}",{members}}`,
	`POST /memories/recall {"query":"{word}*",{members}}`,
	`POST /memories/recall {"query":"ebr","tags":["{word}"],{members}}`,
	`POST /memories/recall {"query":"zebra","key":"{word}","pinned":true,{members}}`,
	`POST /agent/memories/search {"term":"{word}",{members}}`,
	`POST /agent/memories/by-tag {"tags":["{word}"],"pinned":true,{members}}`,
	`POST /agent/memories/browse {"filter":{"tags":["{word}"],{members}}}`,
	`POST /agent/memories/browse {"filter":{"key":"{word}","scope":"global",{members}}}`,
	`POST /agent/memories/browse {"filter":{"ids":["{id}"],{members}}}`,
	`POST /query {"query":"zebra?","memory_filter":{"tags":["{word}"],{members}}}`,
	`POST /query {"query":"zebra?","memory_filter":{"ids":["{id}"],{members}}}`,
	`GET /agent/memories/latest?tag={word}&{times}`,
	`GET /memories?tags={word}&total=true&{times}`, // people only
	`GET /memories/{id}?{times}`,
	`POST /memories/list {"filter":{"tags":["{word}"],{members}},"total":true}`,
}

func (s *server) checkAt(rt *rapid.T, key, id, tag string, w loci.When, visible bool) {
	q, members := url.Values{}, []string{}
	for name, at := range map[string]time.Time{"as_of": w.AsOf, "known_at": w.KnownAt} {
		if !at.IsZero() {
			q.Set(name, at.Format(time.RFC3339Nano))
			members = append(members, fmt.Sprintf("%q:%q", name, at.Format(time.RFC3339Nano)))
		}
	}
	q.Set("include_superseded", fmt.Sprint(w.Superseded))
	members = append(members, fmt.Sprintf("%q:%v", "include_superseded", w.Superseded))
	for _, read := range readsAt {
		if key != owner && (strings.HasPrefix(read, "GET /memories?") || strings.HasPrefix(read, "GET /memories/{id}") ||
			strings.Contains(read, "/memories/list")) {
			continue
		}
		ask := func(id, word string) string {
			return strings.NewReplacer("{id}", id, "{word}", word, "{times}", q.Encode(), "{members}", strings.Join(members,
				",")).Replace(read)
		}
		route := ask(id, tag)
		got := s.request(key, route)
		if found := strings.Contains(got.Body.String(), `"id":"`+id+`"`); found != visible {
			rt.Fatalf("%s, %s: found %v, want %v: %d %s", key, route, found, visible, got.Code, got.Body)
		}
		if visible {
			continue
		}
		want := s.request(key, ask(absent, "t"+strings.ReplaceAll(absent, "-", "")))
		if got.Code != want.Code || got.Body.String() != want.Body.String() || headers(got) != headers(want) {
			rt.Fatalf("%s, %s: with a hidden memory\n%d %s\nwith none\n%d %s", key, route, got.Code, got.Body, want.Code,
				want.Body)
		}
	}
}
