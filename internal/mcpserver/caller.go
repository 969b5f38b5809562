package mcpserver

import (
	"crypto/sha256"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// caller is who sent a request, and what its session and its address say about
// the project to work on.
type caller struct {
	principal loci.Principal
	session   app.SessionKey // zero: there is no session
	project   string         // that counts where neither call nor session names one; "": none
}

// sessionKey stands for a session of the SDK. What is stored is a hash: who
// knows the id of a session can use it.
func sessionKey(id string) app.SessionKey { return sha256.Sum256([]byte(id)) }

// These are where a TokenInfo carries the caller. The SDK hands the TokenInfo
// of each request to its handler; there is no other way through.
const (
	principalKey = "principal"
	sessionInKey = "session"
	projectKey   = "project"
)

func tokenInfo(c caller) *sdkauth.TokenInfo {
	return &sdkauth.TokenInfo{UserID: c.principal.Subject(),
		Extra: map[string]any{principalKey: c.principal, sessionInKey: c.session, projectKey: c.project}}
}

// callerOf returns who sent a request, or the zero caller, who may do nothing.
func callerOf(extra *mcp.RequestExtra) (c caller) {
	if extra == nil || extra.TokenInfo == nil {
		return c
	}
	c.principal, _ = extra.TokenInfo.Extra[principalKey].(loci.Principal)
	c.session, _ = extra.TokenInfo.Extra[sessionInKey].(app.SessionKey)
	c.project, _ = extra.TokenInfo.Extra[projectKey].(string)
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
