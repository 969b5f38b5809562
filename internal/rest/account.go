package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/transfer"
)

var accountRoutes = table{"account", []served{
	serve("GET /users/me", route{ID: "getMe", Who: forPeople, Action: identity.WhoAmI,
		Summary: "Get your account",
		Text:    "The account behind the credential.",
		Out:     exampleUserRow}, (*server).me),
	serve("PATCH /users/me", route{ID: "renameMe", Who: forPeople, Action: identity.AccountChange,
		Summary: "Change your name",
		Text:    "Only the operator changes an e-mail address.",
		In:      client.Name{Name: "Mara"}, Out: exampleUserRow}, (*server).renameMe),
	serve("DELETE /users/me", route{ID: "deleteMe", Who: forPeople, Action: identity.AccountDelete,
		Limit:   expensive,
		Summary: "Delete your account",
		Text: "Deletes you and everything you own permanently. Export first. Needs step-up. 409 if you made " +
			"the org.",
		In: client.Confirmation{Confirm: "mara@example.org"}}, (*server).deleteMe),
	serve("GET /users/me/export", route{ID: "exportMe", Who: forPeople, Action: transfer.Export, Limit: exports,
		Summary: "Export your memories",
		Text: "All your memories with every version, as JSON lines. `loci export` writes the same bytes, and " +
			"`loci import` reads them.",
		Alternatives: map[string]*huma.MediaType{jsonLines: {Schema: &huma.Schema{Type: huma.TypeString},
			Example: exampleLines}}}, (*server).export),
	serve("GET /users/me/sign-ins", route{ID: "listSignIns", Who: forPeople, Action: identity.SignInList,
		Summary: "List your sign-ins",
		Text:    "Browsers in which you are signed in, newest first.",
		Out:     client.SignInList{SignIns: []client.SignIn{exampleBrowser}}}, (*server).signIns),
	serve("DELETE /users/me/sign-ins/{id}", route{ID: "endSignIn", Who: forPeople, Action: identity.SignInEnd,
		Summary: "End a sign-in",
		Text:    "Effective immediately."}, (*server).endSignIn),
	serve("POST /users/me/sign-ins/end-others", route{ID: "endOtherSignIns", Who: forPeople,
		Action:  identity.SignInEnd,
		Summary: "End all other sign-ins",
		Text:    "Ends all your sign-ins except the one that sends this request.",
		Out:     client.Ended{Ended: 2}}, (*server).endOthers),
	serve("GET /users/me/grants", route{ID: "listGrants", Who: forPeople, Action: identity.GrantList,
		Summary: "List the OAuth clients you connected",
		Text:    "Newest first, including revoked ones.",
		Out:     client.GrantList{Grants: exampleGrants}}, (*server).grants),
	serve("DELETE /users/me/grants/{id}", route{ID: "revokeGrant", Who: forPeople, Action: identity.GrantRevoke,
		Summary: "Revoke the access of an OAuth client",
		Text:    "Revokes all its tokens, effective immediately."}, (*server).revokeGrant),
	serve("GET /users/me/assistants", route{ID: "listAssistants", Who: forPeople, Action: identity.KeyList,
		Summary: "List assistants without a stored key",
		Text: "Assistants with an agent key of the server's configuration (`LOCI_AGENT_KEY_<VENDOR>`), and those that " +
			"used `loci mcp` in the last 30 days.",
		Out: client.AssistantList{Assistants: []client.Assistant{{Name: "LOCI_AGENT_KEY_CLAUDE", Vendor: "claude",
			LastUsedAt: exampleTime}}}}, (*server).assistants),
	serve("PUT /users/me/workspace", route{ID: "enterWorkspace", Who: forPeople, Action: org.WorkspaceEnter,
		Missing: noWorkspace,
		Summary: "Choose the active workspace",
		Text:    "Limits every read of this credential to the workspace.",
		In:      exampleChoice}, (*server).enter),
}}

var keyRoutes = table{"keys", []served{
	serve("GET /keys", route{ID: "listKeys", Who: forPeople, Action: identity.KeyList,
		Summary: "List your API keys",
		Text:    "Newest first, including revoked ones. Never shows a secret.",
		Out:     client.KeyList{Keys: []client.Key{exampleKey}}}, (*server).keys),
	serve("POST /keys", route{ID: "createKey", Who: forPeople, Action: identity.KeyCreate, Missing: noWorkspace,
		Limit: expensive, Status: http.StatusCreated,
		Summary: "Create an API key",
		Text:    "Shows the secret once, in this answer. Needs step-up.",
		In:      client.NewKey{Name: "backup script"}, Out: exampleMade}, (*server).createKey),
	serve("POST /keys/{id}/rotate", route{ID: "rotateKey", Who: forPeople, Action: identity.KeyRotate,
		Limit: expensive, Status: http.StatusCreated,
		Summary: "Replace an API key with a new one",
		Text:    "The old key stays valid for overlap_hours. Needs step-up. 409 if it was rotated before.",
		In:      client.Rotation{}, Out: exampleMade}, (*server).rotateKey),
	serve("DELETE /keys/{id}", route{ID: "revokeKey", Who: forPeople, Action: identity.KeyRevoke,
		Summary: "Revoke an API key",
		Text:    "Effective immediately, in every process."}, (*server).revokeKey),
	serve("PUT /keys/{id}/workspace", route{ID: "setKeyWorkspace", Who: forPeople, Action: org.WorkspaceEnter,
		Summary: "Choose the active workspace of a key",
		Text:    "Limits every read with that key to the workspace.",
		In:      exampleChoice}, (*server).enterKey),
}}

func (s *server) me(ctx context.Context, p loci.Principal, _ *noBody) (*answer[loci.User], error) {
	return sayAs(func(id *identity.Identity) loci.User { return id.User })(s.app.Identity.WhoAmI(ctx, p))
}

func (s *server) renameMe(ctx context.Context, p loci.Principal, in *body[client.Name]) (*answer[loci.User], error) {
	return say(s.app.Identity.RenameMe(ctx, p, in.Body.Name))
}

func (s *server) deleteMe(ctx context.Context, p loci.Principal, in *body[client.Confirmation]) (*nothing, error) {
	return done(s.app.Identity.DeleteAccount(ctx, p, in.Body.Confirm))
}

// jsonLines is the media type of an export.
const jsonLines = "application/x-ndjson"

func (s *server) export(_ context.Context, p loci.Principal, _ *noBody) (*huma.StreamResponse, error) {
	return s.stream("loci-export.jsonl", "", func(ctx context.Context, w http.ResponseWriter) error {
		_, err := s.app.Transfer.Export(ctx, p, w)
		return err
	})
}

func (s *server) signIns(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.SignInList], error) {
	list, err := s.app.Identity.SignIns(ctx, p)
	out := client.SignInList{SignIns: make([]client.SignIn, len(list))}
	for i, c := range list {
		out.SignIns[i] = client.SignIn{ID: c.ID, Browser: c.Name, Current: c.ID == p.CredentialID,
			ProvedAt:  c.ProvedAt,
			CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt, LastUsedAt: c.LastUsedAt}
	}
	return say(out, err)
}

func (s *server) endSignIn(ctx context.Context, p loci.Principal, in *onePath) (*nothing, error) {
	return done(s.app.Identity.EndSignIn(ctx, p, idOf[loci.CredentialID](in.ID)))
}

func (s *server) endOthers(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.Ended], error) {
	n, err := s.app.Identity.EndOtherSignIns(ctx, p)
	return say(client.Ended{Ended: n}, err)
}

func (s *server) grants(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.GrantList], error) {
	list, err := s.app.Identity.Grants(ctx, p)
	return say(client.GrantList{Grants: loci.OrEmpty(list)}, err)
}

func (s *server) assistants(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.AssistantList], error) {
	list, err := s.app.Identity.Assistants(ctx, p)
	return say(client.AssistantList{Assistants: loci.Mapped(list, func(c loci.Credential) client.Assistant {
		return client.Assistant{Name: c.Name, Vendor: c.Vendor, LastUsedAt: c.LastUsedAt}
	})}, err)
}

func (s *server) revokeGrant(ctx context.Context, p loci.Principal, in *onePath) (*nothing, error) {
	return done(s.app.Identity.RevokeGrant(ctx, p, idOf[loci.GrantID](in.ID)))
}

func (s *server) enter(ctx context.Context, p loci.Principal, in *body[client.WorkspaceChoice]) (*nothing, error) {
	return done(s.app.Identity.EnterWorkspace(ctx, p, loci.CredentialID{}, in.Body.WorkspaceID))
}

type enterKeyInput struct {
	ID   string `path:"id" doc:"Of the key, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Body client.WorkspaceChoice
}

func (s *server) enterKey(ctx context.Context, p loci.Principal, in *enterKeyInput) (*nothing, error) {
	return done(s.app.Identity.EnterWorkspace(ctx, p, idOf[loci.CredentialID](in.ID), in.Body.WorkspaceID))
}

func keyOf(c loci.Credential) client.Key {
	return client.Key{ID: c.ID, Name: c.Name, Vendor: c.Vendor, Prefix: c.Prefix, Scopes: loci.OrEmpty(c.Rights),
		ProjectIDs:  c.ProjectIDs,
		WorkspaceID: c.WorkspaceID, Replaces: c.Replaces, CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt,
		RevokedAt: c.RevokedAt, LastUsedAt: c.LastUsedAt}
}

type keysInput struct {
	Kind string `query:"kind" enum:"user,agent" doc:"Your own keys, or those of your agents; default: both"`
}

func (s *server) keys(ctx context.Context, p loci.Principal, in *keysInput) (*answer[client.KeyList], error) {
	list, err := s.app.Identity.Keys(ctx, p, loci.Kind(in.Kind))
	return say(client.KeyList{Keys: loci.Mapped(list, keyOf)}, err)
}

func (s *server) createKey(ctx context.Context, p loci.Principal, in *body[client.NewKey]) (
	*shownOnce[client.MadeKey], error) {
	r := &in.Body
	return madeKey(s.app.Identity.CreateKey(ctx, p, auth.KeyRequest{Name: r.Name, Vendor: r.Vendor, Rights: r.Scopes,
		ProjectIDs:  r.ProjectIDs,
		WorkspaceID: r.WorkspaceID, ExpiresAt: r.ExpiresAt}))
}

func madeKey(c loci.Credential, secret loci.Secret, err error) (*shownOnce[client.MadeKey], error) {
	return showOnce(client.MadeKey{Key: keyOf(c), Secret: secret.Reveal()}, err)
}

type rotateInput struct {
	ID   string `path:"id" doc:"Of the key, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Body *client.Rotation
}

// defaultOverlap is how long a rotated key remains valid.
const defaultOverlap = 24

func (s *server) rotateKey(ctx context.Context, p loci.Principal, in *rotateInput) (*shownOnce[client.MadeKey], error) {
	hours := defaultOverlap
	if h := orZero(in.Body).OverlapHours; h != nil {
		hours = *h
	}
	return madeKey(s.app.Identity.RotateKey(ctx, p, idOf[loci.CredentialID](in.ID), time.Duration(hours)*time.Hour))
}

func (s *server) revokeKey(ctx context.Context, p loci.Principal, in *onePath) (*nothing, error) {
	return done(s.app.Identity.RevokeKey(ctx, p, idOf[loci.CredentialID](in.ID)))
}

var (
	exampleUserRow = loci.User{ID: exampleUser, OrgID: "acme", Email: "mara@example.org", Name: "Mara",
		Role:    loci.RoleUser,
		OrgRole: loci.MemberAdmin, CreatedAt: exampleTime}
	exampleChoice = client.WorkspaceChoice{WorkspaceID: loci.WorkspaceID(exampleID)}
	exampleKey    = client.Key{ID: loci.CredentialID(exampleID), Name: "backup script", Prefix: "loci_live_4f2A",
		Scopes: []loci.Right{loci.RightRead}, CreatedAt: exampleTime}
	exampleMade    = client.MadeKey{Key: exampleKey, Secret: "loci_live_4f2A…"}
	exampleBrowser = client.SignIn{ID: loci.CredentialID(exampleID), Browser: "Firefox on Linux",
		Current: true, ProvedAt: exampleTime,
		CreatedAt: exampleTime, ExpiresAt: exampleTime.Add(30 * 24 * time.Hour), LastUsedAt: exampleTime}
	exampleGrants = []loci.Grant{{ID: loci.GrantID(exampleID), UserID: exampleUser,
		ClientID: "https://claude.ai/oauth/client.json", ClientName: "Claude",
		Vendor: "claude", Rights: []loci.Right{loci.RightRead,
			loci.RightWrite}, CreatedAt: exampleTime, ExpiresAt: exampleTime.Add(90 * 24 * time.Hour)}}
	exampleLines = "{\"loci\":\"export\",\"format\":1}\n"
)
