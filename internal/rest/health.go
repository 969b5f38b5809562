package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/setting"
)

var healthRoutes = table{"server", []served{
	serve("GET /health", route{ID: "getHealth", Probe: true, ForAgents: true, Who: forAll,
		Summary: "Check that the process answers",
		Text:    "Needs no credential.",
		Out:     exampleHealth}, (*server).health),
	serve("GET /ready", route{ID: "getReady", Probe: true, Who: forAll,
		Summary: "Check that the process can read and write",
		Text: "Needs no credential. 503 if it cannot, or if an Arc in which an org keeps its events does not answer. " +
			"Everything else works without that Arc, and so does storing events.",
		Out:     client.Ready{Status: "ready"},
		Further: map[string]*huma.Response{"503": problemResponse("The server cannot read or write")}}, (*server).ready),
	serve("GET /openapi.json", route{ID: "getOpenAPI", Who: forAll,
		Summary: "Get this API description",
		Text:    "OpenAPI 3.1. Needs no credential.",
		Out:     map[string]any{"openapi": "3.1.0"}}, (*server).openAPIDocument),
	serve("GET /openapi-agent.json", route{ID: "getAgentOpenAPI", Who: forAll,
		Summary: "Get the description of the API for agents",
		Text:    "OpenAPI 3.1 with the few operations that agents use, such as for a ChatGPT Action. Needs no credential.",
		Out:     map[string]any{"openapi": "3.1.0"}}, (*server).agentDocument),
	serve("GET /whoami", route{ID: "whoAmI", ForAgents: true, Who: forAny, Action: identity.WhoAmI,
		Summary: "Get the identity of this credential",
		Text:    "Its role, its vendor, the person it acts for and its rights.",
		Out:     exampleIdentity}, (*server).whoAmI),
}}

func (s *server) health(context.Context, loci.Principal, *struct{}) (*answer[client.Health], error) {
	h := client.Health{Service: "loci", Status: "ok", Version: s.options.Version,
		Uptime: int64(s.options.Now().Sub(s.started).Seconds()), ModelEgress: "disabled",
		Instance: s.options.Instance}
	if s.options.ModelEgress {
		h.ModelEgress = "enabled"
	}
	return say(h, nil)
}

func (s *server) ready(ctx context.Context, _ loci.Principal, _ *struct{}) (*answer[client.Ready], error) {
	if err := s.app.Ready(ctx); err != nil {
		return nil, loci.WrapError(loci.Unavailable, err, "the storage cannot be read or written")
	}
	if err := s.app.ArcsReady(ctx); err != nil {
		return nil, err
	}
	return say(client.Ready{Status: "ready"}, nil)
}

func (s *server) whoAmI(ctx context.Context, p loci.Principal, _ *struct{}) (*answer[client.Identity], error) {
	id, err := s.app.Identity.WhoAmI(ctx, p)
	if err != nil {
		return nil, err
	}
	out := client.Identity{Role: "user", Origin: p.Origin, OrgID: p.OrgID, UserID: p.UserID, Email: id.User.Email,
		Name:    id.User.Name,
		OrgName: id.Org.Name, OrgRole: p.OrgRole, TeamID: p.TeamID, TeamRole: p.TeamRole, WorkspaceID: p.WorkspaceID,
		SessionID: p.SessionID, AgentID: p.AgentID,
		Scopes: p.Rights, Method: p.Method, ProvedAt: p.ProvedAt, Fresh: p.Fresh(s.options.Now())}
	switch p.Kind {
	case loci.KindAgent:
		out.Role = "agent"
	case loci.KindAdmin:
		out.Role = "admin"
	}
	if id.Team != nil {
		out.TeamName = id.Team.Name
	}
	if p.Vendor != "" {
		out.Vendor = &p.Vendor
	}
	if len(out.Scopes) == 0 {
		out.Scopes = loci.Rights()
		if p.Kind == loci.KindAgent {
			out.Scopes = loci.AgentRights()
		}
	}
	if !p.CredentialID.IsZero() {
		out.CredentialID = &p.CredentialID
	}
	return say(out, nil)
}

var (
	exampleHealth   = client.Health{Service: "loci", Status: "ok", Version: "0.1.0", Uptime: 12, ModelEgress: "disabled"}
	exampleVendor   = loci.Vendor("claude")
	exampleIdentity = client.Identity{Role: "agent", Vendor: &exampleVendor, Origin: "claude", OrgID: loci.DefaultOrg,
		UserID: exampleUser, OrgName: "Acme", OrgRole: loci.Member, Method: loci.ByKey, Scopes: loci.AgentRights()}
)

var settingRoutes = table{"settings", []served{
	serve("GET /settings", route{ID: "listSettings", Who: forPeople, Action: setting.Read,
		Summary: "List the settings of the deployment",
		Text: "The values of now, in a fixed order. fixed is true if only the operator can change one, in the " +
			"configuration. Secrets are not settings here, and of an address you see only the host.",
		Out: client.SettingList{Settings: []loci.Setting{exampleSetting}}}, (*server).settings),
	serve("PUT /settings/{key}", route{ID: "setSetting", Who: forPeople, Action: setting.Change, Limit: expensive,
		Summary: "Change a setting",
		Text: "For people with the instance role admin. Needs step-up. The server takes the value over while it runs; " +
			"other processes on the same data directory follow after a second. 409 if only the configuration can change it.",
		In: client.SettingValue{Value: "03:30"}, Out: exampleSetting}, (*server).setSetting),
	serve("DELETE /settings/{key}", route{ID: "resetSetting", Who: forPeople, Action: setting.Change, Limit: expensive,
		Summary: "Bring the default of a setting back",
		Text:    "For people with the instance role admin. Needs step-up. You can repeat this request. 409 as above.",
		Out:     exampleSetting}, (*server).resetSetting),
}}

const noSetting missing = "setting"

var exampleSetting = loci.Setting{Key: "dream.at", Value: "03:30", Default: "03:30", Source: loci.SetByDefault}

func (s *server) settings(ctx context.Context, p loci.Principal, _ *struct{}) (*answer[client.SettingList], error) {
	list, err := s.app.Setting.List(ctx, p)
	return say(client.SettingList{Settings: loci.OrEmpty(list)}, err)
}

type settingPath struct {
	Key string `path:"key" maxLength:"100" doc:"As in the configuration" example:"dream.at"`
}

type settingInput struct {
	Key  string `path:"key" maxLength:"100" doc:"As in the configuration" example:"dream.at"`
	Body client.SettingValue
}

func (s *server) setSetting(ctx context.Context, p loci.Principal, in *settingInput) (*answer[loci.Setting], error) {
	return say(s.app.Setting.Set(ctx, p, in.Key, &in.Body.Value))
}

func (s *server) resetSetting(ctx context.Context, p loci.Principal, in *settingPath) (*answer[loci.Setting], error) {
	return say(s.app.Setting.Set(ctx, p, in.Key, nil))
}
