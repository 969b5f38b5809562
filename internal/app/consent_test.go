package app_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth/oauth"
)

func TestConsentGivesNoMoreThanWasAsked(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	asked := &oauth.Consent{Client: loci.OAuthClient{ID: "client-1"},
		Rights:      []loci.Right{loci.RightRead, loci.RightAdmin},
		RedirectURI: "https://c.example/cb", Challenge: "x"}
	for _, rights := range [][]loci.Right{nil, {loci.RightWrite}, {loci.RightAdmin}} {
		_, err := c.Identity.Consent(ctx, c.mara, asked, "claude", rights)
		wantCode(t, err, loci.Invalid)
	}
	_, err := c.Identity.Consent(ctx, c.mara, asked, "api", asked.Rights[:1])
	wantCode(t, err, loci.Invalid)
	_, err = c.Identity.Consent(ctx, c.key, asked, "claude", asked.Rights[:1])
	wantCode(t, err, loci.Forbidden)
	c.must(second(c.Identity.SetClientVendor(ctx, c.operator, "client-1", "cursor")))
	_, err = c.Identity.Consent(ctx, c.mara, asked, "claude", asked.Rights[:1])
	wantCode(t, err, loci.Invalid)
	code, err := c.Identity.Consent(ctx, c.mara, asked, "cursor", asked.Rights[:1])
	if err != nil || code == "" {
		t.Fatalf("got %q, %v", code.Reveal(), err)
	}
	grants, err := c.Identity.Grants(ctx, c.mara)
	c.must(err)
	if len(grants) != 2 || grants[0].Vendor != "cursor" || len(grants[0].Rights) != 1 {
		t.Errorf("got %+v", grants)
	}
	wantCode(t, c.Identity.RevokeGrant(ctx, c.tom, grants[0].ID), loci.NotFound)
	c.must(c.Identity.RevokeGrant(ctx, c.mara, grants[0].ID))
}
