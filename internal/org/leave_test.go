package org

import (
	"slices"
	"testing"

	"github.com/loci-memory/loci"
)

func TestCompareRoles(t *testing.T) {
	t.Parallel()
	roles := []loci.MemberRole{"", loci.Member, loci.MemberAdmin, loci.MemberOwner}
	for _, order := range [][]loci.MemberRole{{loci.MemberOwner, "", loci.MemberAdmin, loci.Member},
		{loci.Member, loci.MemberAdmin, loci.MemberOwner, ""}} {
		slices.SortFunc(order, compareRoles)
		if !slices.Equal(order, roles) {
			t.Errorf("got %v, want %v", order, roles)
		}
	}
}
