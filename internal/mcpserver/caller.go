package mcpserver

import (
	"crypto/sha256"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// caller is who sent a request, and what is known of the request besides.
type caller struct {
	principal    loci.Principal
	connection   app.SessionKey // zero: there is none
	usualProject string         // counts where neither call nor connection names one; "": none
	fault        error          // see message
}

// connectionKey stands for a connection. What is stored is a hash: who knows
// the id of a connection can use it.
func connectionKey(id string) app.SessionKey { return sha256.Sum256([]byte(id)) }

// These are where a TokenInfo carries the caller. The SDK hands the TokenInfo
// of each request to its handler; there is no other way through.
const (
	principalKey    = "principal"
	connectionInKey = "connection"
	projectKey      = "project"
	faultKey        = "fault"
)

func tokenInfo(c caller) *sdkauth.TokenInfo {
	return &sdkauth.TokenInfo{UserID: c.principal.Subject(), Extra: map[string]any{principalKey: c.principal,
		connectionInKey: c.connection, projectKey: c.usualProject, faultKey: c.fault}}
}

// callerOf returns who sent a request, or the zero caller, who may do nothing.
func callerOf(extra *mcp.RequestExtra) (c caller) {
	if extra == nil || extra.TokenInfo == nil {
		return c
	}
	c.principal, _ = extra.TokenInfo.Extra[principalKey].(loci.Principal)
	c.connection, _ = extra.TokenInfo.Extra[connectionInKey].(app.SessionKey)
	c.usualProject, _ = extra.TokenInfo.Extra[projectKey].(string)
	c.fault, _ = extra.TokenInfo.Extra[faultKey].(error)
	return c
}

// principalOf is callerOf for what has nothing to do with projects.
func principalOf(extra *mcp.RequestExtra) loci.Principal { return callerOf(extra).principal }

// onlyAgents refuses a person's own credential: without a vendor nobody could
// say which memories it may read, or who wrote what it writes.
func onlyAgents(p loci.Principal) error {
	if p.Vendor != "" {
		return nil
	}
	return loci.Errorf(loci.Forbidden, "this is a person's credential, and MCP needs an agent's, which says which assistant is asking: make one with `loci agent-key create --vendor claude` (or another vendor) and use that")
}
