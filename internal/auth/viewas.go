package auth

import (
	"net/http"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// ViewAsHeader is the HTTP header in which a person asks to see what a vendor sees.
const ViewAsHeader = "Loci-View-As"

// ViewAs returns p as an agent of the vendor that ViewAsHeader names, without a session: what it reads is what a
// credential of the person for this vendor reads. So it sees no more than p. Without the header, it returns p
// unchanged. reads says whether the request changes nothing.
//
// It fails with Invalid if the header appears twice, names no vendor, comes with a session, or the request is no read,
// and with Forbidden if p belongs to a vendor already, or has no right that agents have.
func ViewAs(r *http.Request, p loci.Principal, reads bool) (loci.Principal, error) {
	sent := r.Header.Values(ViewAsHeader)
	if len(sent) == 0 {
		return p, nil
	}
	vendor := loci.Vendor(strings.TrimSpace(sent[0]))
	switch {
	case len(sent) > 1:
		return p, loci.FieldErrorf(ViewAsHeader, "appears twice in the request; send it once")
	case !reads:
		return p, loci.FieldErrorf(ViewAsHeader, "works only for requests that change nothing; leave it out")
	case len(r.Header.Values(SessionHeader)) > 0:
		return p, loci.FieldErrorf(ViewAsHeader, "cannot be combined with %s", SessionHeader)
	case p.Vendor != "":
		return p, loci.Errorf(loci.Forbidden, "only people can view as a vendor; this credential belongs to %s", p.Vendor)
	}
	if err := CheckVendor(vendor); err != nil {
		return p, loci.WrapError(loci.Invalid, err, "%s: %s", ViewAsHeader, err)
	}
	rights := slices.DeleteFunc(loci.AgentRights(), func(right loci.Right) bool { return !p.Has(right) })
	if len(rights) == 0 { // which would stand for all rights of agents
		return p, loci.Errorf(loci.Forbidden,
			"this credential has no right that agents have, so it cannot view as %s", vendor)
	}
	p.Kind, p.Vendor, p.Origin, p.Rights, p.Views = loci.KindAgent, vendor, string(vendor), rights, true
	return p, nil
}
