package mcpserver

import (
	"crypto/sha256"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/project"
)

// caller is the sender of a request and what else tools must know about the request.
type caller struct {
	principal    loci.Principal
	connection   project.ConnectionKey // zero: none
	usualProject string                // if neither the call nor the connection names one; "": none
	fault        error                 // see message
}

// connectionKey identifies a connection in storage. It is a hash, because anyone
// who knows the id of a connection could use it.
func connectionKey(id string) project.ConnectionKey { return sha256.Sum256([]byte(id)) }

// These are the keys under which a TokenInfo carries the caller. The SDK passes nothing but a
// TokenInfo from a request to its handler.
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

// callerOf returns the sender of a request. The zero caller may do nothing.
func callerOf(extra *mcp.RequestExtra) (c caller) {
	if extra == nil || extra.TokenInfo == nil {
		return c
	}
	c.principal, _ = extra.TokenInfo.Extra[principalKey].(loci.Principal)
	c.connection, _ = extra.TokenInfo.Extra[connectionInKey].(project.ConnectionKey)
	c.usualProject, _ = extra.TokenInfo.Extra[projectKey].(string)
	c.fault, _ = extra.TokenInfo.Extra[faultKey].(error)
	return c
}

func principalOf(extra *mcp.RequestExtra) loci.Principal { return callerOf(extra).principal }

// onlyAgents rejects a person's own credential. Without a vendor, Loci could not
// decide which memories the caller may read, or record who wrote a memory.
func onlyAgents(p loci.Principal) error {
	if p.Vendor != "" {
		return nil
	}
	return loci.Errorf(loci.Forbidden, "this is a person's credential, "+
		"but MCP requires an agent key, which identifies the assistant; "+
		"create one with `loci agent-key create --vendor claude --name NAME` (or another vendor)")
}
