package mcpserver

import (
	"net/http"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// metadataPath is where a client reads how to get a token (RFC 9728).
const metadataPath = "/.well-known/oauth-protected-resource/mcp"

// challenge returns where a client can start to sign its person in, or "" if
// this server has no sign-in.
func (s *Server) challenge(r *http.Request, scope string) string {
	if !s.options.SignIn {
		return ""
	}
	if scope == "" {
		o, err := s.asked(r)
		if err != nil {
			o = s.offer // the address is rejected once the client is authorised
		}
		scope = o.scope()
	}
	return `, resource_metadata="` + s.options.Site.Base(r) + metadataPath + `", scope="` + scope + `"`
}

var rules = app.Rules()

// missing returns the scope that a call of a tool requires and that an OAuth
// token lacks, or "". A client cannot ask for more rights for a key, so there
// the tool itself returns the error to the model.
func missing(p loci.Principal, name string) string {
	if p.Method != loci.ByOAuth {
		return ""
	}
	rule, lacks := rules[toolNamed(name).action], false
	scopes := make([]string, len(rule.Rights))
	for i, right := range rule.Rights {
		scopes[i] = string(right)
		lacks = lacks || !p.Has(right)
	}
	if !lacks {
		return ""
	}
	return strings.Join(scopes, " ")
}
