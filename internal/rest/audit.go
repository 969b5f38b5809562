package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/identity"
)

// The routes about the audit trail.
var auditRoutes = table{"orgs", []served{
	serve("GET /orgs/{id}/audit", route{ID: "listAudit", Who: forPeople, Action: identity.AuditRead,
		More: []gate.Action{identity.AuditReadOrg}, Missing: noOrg,
		Summary: "List entries of the audit trail",
		Text: "Newest first: what you and your assistants did, and which requests Loci rejected. Admins also see " +
			"who administered the org. Has ids and counts, never contents.",
		Out: exampleAudit}, (*server).audit),
}}

type auditInput struct {
	ID string `path:"id" doc:"Of your org" example:"acme"`
	client.AuditConditions
	Limit  int    `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same filters"`
}

func (s *server) audit(ctx context.Context, p loci.Principal, in *auditInput) (*answer[client.AuditList], error) {
	if err := timesSent(ctx); err != nil {
		return nil, err
	}
	page, err := s.app.Identity.Audit(ctx, p, identity.AuditList{AuditQuery: identity.AuditQuery{UserID: in.UserID,
		Action: in.Action, Denied: in.Denied, From: in.Since, To: in.Until, Limit: in.Limit}, Cursor: in.Cursor})
	out := client.AuditList{Entries: make([]client.AuditEntry, len(page.Items)), More: moreAt(page.NextCursor)}
	for i, e := range page.Items {
		out.Entries[i] = client.AuditEntry{ID: string(e.ID), AuditEntry: e.AuditEntry}
	}
	return say(out, err)
}

var exampleAudit = client.AuditList{Entries: []client.AuditEntry{{ID: "b3ZlciB0aGUgd2FsbA",
	AuditEntry: loci.AuditEntry{At: exampleTime, Action: "memory.trash", Allowed: true, Kind: loci.KindUser,
		Method: loci.BySignIn, UserID: exampleUser, CredentialID: loci.CredentialID(exampleID),
		Target: exampleID.String()}}}}
