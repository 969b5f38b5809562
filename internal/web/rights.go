package web

import (
	"net/http"
	"slices"

	"github.com/loci-memory/loci"
)

type scope struct {
	Right   loci.Right
	Label   string
	Checked bool
}

var scopeLabels = map[loci.Right]string{
	loci.RightRead:    "read memories",
	loci.RightWrite:   "write memories",
	loci.RightGraph:   "read and change the knowledge graphs of your projects",
	loci.RightEvents:  "record and read events",
	loci.RightReflect: "propose memories from notes",
	loci.RightAccount: "use your account, keys and team",
	loci.RightAdmin:   "administer the org",
}

// offered returns the rights without those that nothing in this version requires.
func (s *server) offered(rights []loci.Right) []loci.Right {
	return slices.DeleteFunc(slices.Clone(rights), func(right loci.Right) bool { return !s.app.Requires(right) })
}

func scopesOf(rights []loci.Right, checked func(loci.Right) bool) []scope {
	out := make([]scope, len(rights))
	for i, right := range rights {
		out[i] = scope{Right: right, Label: scopeLabels[right], Checked: checked(right)}
	}
	return out
}

// vendors returns the vendors of the org, then the known ones. People may type any other name.
func (s *server) vendors(r *http.Request, p loci.Principal) ([]loci.Vendor, error) {
	out, err := s.app.Identity.Vendors(r.Context(), p)
	if err != nil {
		return nil, err
	}
	out = slices.Clone(out)
	for _, v := range loci.Vendors {
		if !slices.Contains(out, v.Name) {
			out = append(out, v.Name)
		}
	}
	return out, nil
}
