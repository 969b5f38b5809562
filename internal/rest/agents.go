package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

type latestInput struct {
	Tag    string `query:"tag" maxLength:"100" doc:"Only memories with this tag"`
	Origin string `query:"origin" maxLength:"50" doc:"Only memories of this writer"`
	client.When
}

func (s *server) latest(ctx context.Context, p loci.Principal, in *latestInput) (*memoryOutput, error) {
	f := app.Filter{Origin: in.Origin, When: whenOf(in.When)}
	if in.Tag != "" {
		if err := loci.CheckText("tag", in.Tag, 1, loci.MaxTag); err != nil {
			return nil, err
		}
		f.Tags = []string{in.Tag}
	}
	return oneMemory(s.app.Latest(ctx, p, f))
}

type byTagInput struct{ Body client.ByTagRequest }

func (s *server) byTag(ctx context.Context, p loci.Principal, in *byTagInput) (*pageOutput, error) {
	r := &in.Body
	conditions := client.Conditions{Tags: r.Tags, TagMode: r.TagMode, Within: r.Within, When: r.When}
	return s.page(ctx, p, ask{filter: client.Filter{Conditions: conditions}, limit: limitOr(r.Limit, defaultByTag), offset: r.Offset,
		cursor: r.Cursor, total: r.Total == nil || *r.Total})
}

type browseInput struct{ Body *client.BrowseRequest }

type summariesOutput struct{ Body client.SummaryPage }

func (s *server) browse(ctx context.Context, p loci.Principal, in *browseInput) (*summariesOutput, error) {
	r := orZero(in.Body)
	got, err := s.find(ctx, p, ask{filter: r.Filter, name: "filter", limit: limitOr(r.Limit, defaultList),
		offset: r.Offset, cursor: r.Cursor, total: r.Total == nil || *r.Total})
	if err != nil {
		return nil, err
	}
	return &summariesOutput{client.SummaryPage{Memories: loci.Summaries(got.memories), Page: got.page}}, nil
}

type searchInput struct{ Body client.SearchRequest }

type searchOutput struct{ Body client.SearchPage }

func (s *server) search(ctx context.Context, p loci.Principal, in *searchInput) (*searchOutput, error) {
	r := &in.Body
	if (r.Term == "") == (r.Query == "") {
		return nil, loci.FieldErrorf("term", "is required; query is another name of it, and only one of them is taken")
	}
	term, name := r.Term, "term"
	if term == "" {
		term, name = r.Query, "query"
	}
	if err := loci.CheckText(name, term, 1, loci.MaxTerm); err != nil {
		return nil, err
	}
	got, err := s.find(ctx, p, ask{limit: limitOr(r.Limit, defaultSearch), offset: r.Offset, cursor: r.Cursor,
		filter: client.Filter{By: client.BySearch, Term: term, Conditions: r.Conditions}})
	if err != nil {
		return nil, err
	}
	return &searchOutput{client.SearchPage{Memories: got.memories, Hits: got.hits, Count: len(got.hits), Page: got.page, Partial: got.partial}}, nil
}

type newestInput struct{ Body *client.NewestRequest }

type newestOutput struct{ Body client.CountedPage }

func (s *server) newest(ctx context.Context, p loci.Principal, in *newestInput) (*newestOutput, error) {
	r := orZero(in.Body)
	got, err := s.find(ctx, p, ask{filter: client.Filter{Conditions: client.Conditions{When: r.When}}, limit: limitOr(r.Limit, defaultNewest), cursor: r.Cursor})
	if err != nil {
		return nil, err
	}
	return &newestOutput{client.CountedPage{Memories: got.memories, Count: len(got.memories),
		HasMore: got.page.HasMore, NextCursor: got.page.NextCursor}}, nil
}
