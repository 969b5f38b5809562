package mcpserver

import (
	"encoding/json"
	"maps"
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

// toolActions says which action each tool carries out. app decides about it;
// here it only tells which scope to ask for.
var toolActions = map[string]app.Action{
	"search_memories":     app.MemoryRead,
	"get_memories_by_tag": app.MemoryRead,
	"read_memories":       app.MemoryRead,
	"browse_memories":     app.MemoryRead,
	"get_memory_by_id":    app.MemoryRead,
	"get_latest_memory":   app.MemoryRead,
	"write_memory":        app.MemoryCreate,
	"read_team_memories":  app.PoolRead,
	"share_memory":        app.MemoryShare,

	"recall_memories":     app.MemoryRead,
	"list_suggestions":    app.SuggestionRead,
	"add_sources":         app.SourceAdd,
	"get_sources":         app.SourceRead,
	"list_memory_nodes":   app.NodeRead,
	"read_memory_node":    app.NodeRead,
	"list_agents":         app.AgentRead,
	"register_agent":      app.AgentCreate,
	"open_agent_session":  app.WorkOpen,
	"close_agent_session": app.WorkClose,

	"list_projects":       app.ProjectRead,
	"create_project":      app.ProjectCreate,
	"switch_project":      app.ProjectRead,
	"get_current_project": app.ProjectRead,
	"archive_project":     app.ProjectArchive,
	"delete_project":      app.ProjectDelete,
	"restore_project":     app.ProjectRestore,
	"create_entities":     app.GraphWrite,
	"add_observations":    app.GraphWrite,
	"create_relations":    app.GraphWrite,
	"search_nodes":        app.GraphRead,
	"open_nodes":          app.GraphRead,
	"read_graph":          app.GraphRead,
	"delete_entities":     app.GraphDelete,
	"delete_observations": app.GraphDelete,
	"delete_relations":    app.GraphDelete,

	"restore_nodes":      app.GraphRestore,
	"list_deleted_nodes": app.GraphTrashed,
	"get_entity_history": app.GraphHistory,
	"get_neighbors":      app.GraphRead,
	"merge_entities":     app.GraphMerge,
}

// ToolActions returns the action that each tool carries out, by the name of the
// tool.
func ToolActions() map[string]app.Action { return maps.Clone(toolActions) }

var rules = app.Rules()

// missing returns what a call needs and an OAuth token was not granted. A key's
// rights were chosen with the key, and no client can ask for more: there the
// tool itself says what is missing, where the model reads it.
func missing(p loci.Principal, method string, params json.RawMessage) string {
	if p.Method != loci.ByOAuth || method != "tools/call" {
		return ""
	}
	var call struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(params, &call) != nil {
		return ""
	}
	rule, lacks := rules[toolActions[call.Name]], false
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
