package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
)

// The limits of their own, in requests a minute of one credential.
var (
	expensive = auth.Policy{Name: "changes", Limit: 30}
	exports   = auth.Policy{Name: "export", Limit: 10}
	watching  = auth.Policy{Name: "admin", Limit: 10}
)

// registerAccount adds the routes about the person and their keys.
func (s *server) registerAccount(at func(route) route) {
	add(s, at(routeMe), s.me)
	add(s, at(routeRenameMe), s.renameMe)
	add(s, at(routeDeleteMe), s.deleteMe)
	add(s, at(routeExport), s.export)
	add(s, at(routeSignIn), s.signInMethods)
	add(s, at(routeSessions), s.sessions)
	add(s, at(routeEndSession), s.endSession)
	add(s, at(routeEndOthers), s.endOthers)
	add(s, at(routeGrants), s.grants)
	add(s, at(routeRevokeGrant), s.revokeGrant)
	add(s, at(routeEnter), s.enter)

	add(s, at(routeKeys), s.keys)
	add(s, at(routeCreateKey), s.createKey)
	add(s, at(routeRotateKey), s.rotateKey)
	add(s, at(routeRevokeKey), s.revokeKey)
	add(s, at(routeEnterKey), s.enterKey)
}

// The part of the table about the person and their keys.
var (
	routeMe = route{ID: "getMe", Method: http.MethodGet, Path: "/users/me", Who: forPeople, Action: app.WhoAmI, Tag: "account",
		Summary: "Get your account", Text: "The person behind the credential.", Out: exampleUserRow}
	routeRenameMe = route{ID: "renameMe", Method: http.MethodPatch, Path: "/users/me", Who: forPeople, Action: app.AccountChange, Tag: "account",
		Summary: "Change your name", Text: "The e-mail address is changed by the operator.", In: client.Name{Name: "Mara"}, Out: exampleUserRow}
	routeDeleteMe = route{ID: "deleteMe", Method: http.MethodDelete, Path: "/users/me", Who: forPeople, Action: app.AccountDelete, Tag: "account", Limit: expensive,
		Summary: "Delete your account", Text: "With everything that is yours, for good. Export first. Needs step-up. 409 for the person who made the org.", In: client.Confirmation{Confirm: "mara@example.org"}}
	routeExport = route{ID: "exportMe", Method: http.MethodGet, Path: "/users/me/export", Who: forPeople, Action: app.Export, Tag: "account", Limit: exports,
		Summary: "Export your memories", Text: "All of them with every version, as JSON lines: the bytes of `loci export`, for `loci import`.",
		Alternatives: map[string]*huma.MediaType{jsonLines: {Schema: &huma.Schema{Type: huma.TypeString}, Example: exampleLines}}}
	routeSignIn = route{ID: "getSignInMethods", Method: http.MethodGet, Path: "/users/me/sign-in", Who: forPeople, Action: app.SignInRead, Tag: "account",
		Summary: "Say what you can sign in with", Text: "They are changed in the browser, at /app/sign-in-methods.", Out: exampleSignIn}
	routeSessions = route{ID: "listSessions", Method: http.MethodGet, Path: "/users/me/sessions", Who: forPeople, Action: app.SessionList, Tag: "account",
		Summary: "List your browser sessions", Text: "Those that can be used, newest first.", Out: client.SessionList{Sessions: []client.BrowserSession{exampleSession}}}
	routeEndSession = route{ID: "endSession", Method: http.MethodDelete, Path: "/users/me/sessions/{id}", Who: forPeople, Action: app.SessionEnd, Missing: noSession, Tag: "account",
		Summary: "End a browser session", Text: "It is useless from the next request on."}
	routeEndOthers = route{ID: "endOtherSessions", Method: http.MethodPost, Path: "/users/me/sessions/end-others", Who: forPeople, Action: app.SessionEnd, Tag: "account",
		Summary: "End all other browser sessions", Text: "All but the one that asks; with a key: all.", Out: client.Ended{Ended: 2}}
	routeGrants = route{ID: "listGrants", Method: http.MethodGet, Path: "/users/me/grants", Who: forPeople, Action: app.GrantList, Tag: "account",
		Summary: "List what you allowed OAuth clients", Text: "Newest first, revoked ones too.", Out: client.GrantList{Grants: exampleGrants}}
	routeRevokeGrant = route{ID: "revokeGrant", Method: http.MethodDelete, Path: "/users/me/grants/{id}", Who: forPeople, Action: app.GrantRevoke, Missing: noGrant, Tag: "account",
		Summary: "Take back what you allowed an OAuth client", Text: "All its tokens are useless from the next request on."}
	routeEnter = route{ID: "enterWorkspace", Method: http.MethodPut, Path: "/users/me/workspace", Who: forPeople, Action: app.WorkspaceEnter, Missing: noWorkspace, Tag: "account",
		Summary: "Choose the active workspace", Text: "Of the credential that asks: every read is limited to it.", In: exampleChoice}

	routeKeys = route{ID: "listKeys", Method: http.MethodGet, Path: "/keys", Who: forPeople, Action: app.KeyList, Tag: "keys",
		Summary: "List your API keys", Text: "Newest first, revoked ones too; without the keys themselves.", Out: client.KeyList{Keys: []client.Key{exampleKey}}}
	routeCreateKey = route{ID: "createKey", Method: http.MethodPost, Path: "/keys", Who: forPeople, Action: app.KeyCreate, Missing: noWorkspace, Tag: "keys", Limit: expensive, Status: http.StatusCreated,
		Summary: "Create an API key", Text: "The key itself is in this answer and never shown again. Needs step-up.", In: client.NewKey{Name: "backup script"}, Out: exampleMade}
	routeRotateKey = route{ID: "rotateKey", Method: http.MethodPost, Path: "/keys/{id}/rotate", Who: forPeople, Action: app.KeyRotate, Missing: noKey, Tag: "keys", Limit: expensive, Status: http.StatusCreated,
		Summary: "Replace an API key by a new one", Text: "The old one stays valid for overlap_hours. Needs step-up. 409 if it was rotated before.", In: client.Rotation{}, Out: exampleMade}
	routeRevokeKey = route{ID: "revokeKey", Method: http.MethodDelete, Path: "/keys/{id}", Who: forPeople, Action: app.KeyRevoke, Missing: noKey, Tag: "keys",
		Summary: "Revoke an API key", Text: "It is useless from the next request on, in every process."}
	routeEnterKey = route{ID: "setKeyWorkspace", Method: http.MethodPut, Path: "/keys/{id}/workspace", Who: forPeople, Action: app.WorkspaceEnter, Missing: noKey, Tag: "keys",
		Summary: "Choose the active workspace of a key", Text: "Every read with that key is limited to it.", In: exampleChoice}
)
