package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

type healthOutput struct{ Body client.Health }

func (s *server) health(context.Context, loci.Principal, *struct{}) (*healthOutput, error) {
	h := client.Health{Service: "loci", Status: "ok", Version: s.options.Version,
		Uptime: s.now().Sub(s.started).Seconds(), ModelEgress: "disabled"}
	if s.options.ModelEgress {
		h.ModelEgress = "enabled"
	}
	return &healthOutput{h}, nil
}

type readyOutput struct{ Body client.Ready }

func (s *server) ready(ctx context.Context, _ loci.Principal, _ *struct{}) (*readyOutput, error) {
	if err := s.app.Ready(ctx); err != nil {
		return nil, loci.WrapError(loci.Unavailable, err, "the storage cannot be read or written")
	}
	return &readyOutput{client.Ready{Status: "ready"}}, nil
}

type identityOutput struct{ Body client.Identity }

func (s *server) whoAmI(ctx context.Context, p loci.Principal, _ *struct{}) (*identityOutput, error) {
	id, err := s.app.WhoAmI(ctx, p)
	if err != nil {
		return nil, err
	}
	out := client.Identity{Role: "user", Origin: p.Origin, OrgID: p.OrgID, UserID: p.UserID, Email: id.User.Email, Name: id.User.Name,
		OrgName: id.Org.Name, OrgRole: p.OrgRole, TeamID: p.TeamID, TeamRole: p.TeamRole, WorkspaceID: p.WorkspaceID, SessionID: p.SessionID, AgentID: p.AgentID,
		Scopes: p.Rights, Method: p.Method, ProvedAt: p.ProvedAt, Fresh: p.Fresh(s.now())}
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
	return &identityOutput{out}, nil
}
