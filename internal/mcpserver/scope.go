package mcpserver

import (
	"net/http"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// metadataPath is where a client reads how to get a token (RFC 9728).
const metadataPath = "/.well-known/oauth-protected-resource/mcp"

// challenge says where a client begins to sign its person in. Without sign-in
// there is nowhere.
func (s *Server) challenge(r *http.Request, scope string) string {
	if !s.options.SignIn {
		return ""
	}
	if scope == "" {
		o, err := s.asked(r)
		if err != nil {
			o = s.offer // the address is refused when it is known who asks
		}
		scope = o.scope()
	}
	return `, resource_metadata="` + s.options.Site.Base(r) + metadataPath + `", scope="` + scope + `"`
}

var rules = app.Rules()

// missing returns the scope that a call of a tool needs and an OAuth token was
// not granted. A key's rights were chosen with the key, and no client can ask
// for more: there the tool itself says what is missing, where the model reads
// it.
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
