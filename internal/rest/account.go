package rest

import (
	"context"
	"encoding/base64"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
)

func (s *server) me(ctx context.Context, p loci.Principal, _ *noBody) (*answer[loci.User], error) {
	id, err := s.app.WhoAmI(ctx, p)
	if err != nil {
		return nil, err
	}
	return say(id.User, nil)
}

type nameInput struct{ Body client.Name }

func (s *server) renameMe(ctx context.Context, p loci.Principal, in *nameInput) (*answer[loci.User], error) {
	return say(s.app.RenameMe(ctx, p, in.Body.Name))
}

type confirmInput struct{ Body client.Confirmation }

func (s *server) deleteMe(ctx context.Context, p loci.Principal, in *confirmInput) (*nothing, error) {
	return done(s.app.DeleteAccount(ctx, p, in.Body.Confirm))
}

// jsonLines is the media type of an export.
const jsonLines = "application/x-ndjson"

func (s *server) export(_ context.Context, p loci.Principal, _ *noBody) (*huma.StreamResponse, error) {
	return s.stream("loci-export.jsonl", "", func(ctx context.Context, w http.ResponseWriter) error {
		_, err := s.app.Export(ctx, p, w, nil)
		return err
	})
}

func (s *server) signInMethods(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.SignInMethods], error) {
	m, err := s.app.SignInMethods(ctx, p)
	if err != nil {
		return nil, err
	}
	out := client.SignInMethods{Password: m.Password, Email: m.HasEmail, Passkeys: make([]client.Passkey, len(m.Passkeys))}
	for i, k := range m.Passkeys {
		out.Passkeys[i] = client.Passkey{ID: base64.RawURLEncoding.EncodeToString(k.ID), Name: k.Name, CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt}
	}
	return say(out, nil)
}

func (s *server) sessions(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.SessionList], error) {
	list, err := s.app.Sessions(ctx, p)
	if err != nil {
		return nil, err
	}
	out := client.SessionList{Sessions: make([]client.BrowserSession, len(list))}
	for i, c := range list {
		out.Sessions[i] = client.BrowserSession{ID: c.ID, Browser: c.Name, Current: c.ID == p.CredentialID, ProvedAt: c.ProvedAt,
			CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt, LastUsedAt: c.LastUsedAt}
	}
	return say(out, nil)
}

func (s *server) endSession(ctx context.Context, p loci.Principal, in *onePath) (*nothing, error) {
	var id loci.CredentialID
	read(&id, in.ID)
	return done(s.app.EndSession(ctx, p, id))
}

func (s *server) endOthers(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.Ended], error) {
	n, err := s.app.EndOtherSessions(ctx, p)
	return say(client.Ended{Ended: n}, err)
}

func (s *server) grants(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.GrantList], error) {
	list, err := s.app.Grants(ctx, p)
	return say(client.GrantList{Grants: orEmpty(list)}, err)
}

func (s *server) revokeGrant(ctx context.Context, p loci.Principal, in *onePath) (*nothing, error) {
	var id loci.GrantID
	read(&id, in.ID)
	return done(s.app.RevokeGrant(ctx, p, id))
}

type enterInput struct{ Body client.WorkspaceChoice }

func (s *server) enter(ctx context.Context, p loci.Principal, in *enterInput) (*nothing, error) {
	return done(s.app.EnterWorkspace(ctx, p, loci.CredentialID{}, in.Body.WorkspaceID))
}

type enterKeyInput struct {
	ID   string `path:"id" doc:"Of the key, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Body client.WorkspaceChoice
}

func (s *server) enterKey(ctx context.Context, p loci.Principal, in *enterKeyInput) (*nothing, error) {
	var id loci.CredentialID
	read(&id, in.ID)
	return done(s.app.EnterWorkspace(ctx, p, id, in.Body.WorkspaceID))
}

func keyOf(c loci.Credential) client.Key {
	return client.Key{ID: c.ID, Name: c.Name, Vendor: c.Vendor, Prefix: c.Prefix, Scopes: orEmpty(c.Rights), ProjectIDs: c.ProjectIDs,
		WorkspaceID: c.WorkspaceID, Replaces: c.Replaces, CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt, RevokedAt: c.RevokedAt, LastUsedAt: c.LastUsedAt}
}

type keysInput struct {
	Kind string `query:"kind" enum:"user,agent" doc:"Your own keys, or those of your agents; left out: both"`
}

func (s *server) keys(ctx context.Context, p loci.Principal, in *keysInput) (*answer[client.KeyList], error) {
	list, err := s.app.Keys(ctx, p, loci.Kind(in.Kind))
	if err != nil {
		return nil, err
	}
	out := client.KeyList{Keys: make([]client.Key, len(list))}
	for i, c := range list {
		out.Keys[i] = keyOf(c)
	}
	return say(out, nil)
}

type newKeyInput struct{ Body client.NewKey }

func (s *server) createKey(ctx context.Context, p loci.Principal, in *newKeyInput) (*shownOnce[client.MadeKey], error) {
	r := &in.Body
	return madeKey(s.app.CreateKey(ctx, p, auth.KeyRequest{Name: r.Name, Vendor: r.Vendor, Rights: r.Scopes, ProjectIDs: r.ProjectIDs,
		WorkspaceID: r.WorkspaceID, ExpiresAt: r.ExpiresAt}))
}

func madeKey(c loci.Credential, secret loci.Secret, err error) (*shownOnce[client.MadeKey], error) {
	return showOnce(client.MadeKey{Key: keyOf(c), Secret: secret.Reveal()}, err)
}

type rotateInput struct {
	ID   string `path:"id" doc:"Of the key, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Body *client.Rotation
}

// defaultOverlap is how long a rotated key is still good.
const defaultOverlap = 24

func (s *server) rotateKey(ctx context.Context, p loci.Principal, in *rotateInput) (*shownOnce[client.MadeKey], error) {
	var id loci.CredentialID
	read(&id, in.ID)
	hours := defaultOverlap
	if h := orZero(in.Body).OverlapHours; h != nil {
		hours = *h
	}
	return madeKey(s.app.RotateKey(ctx, p, id, time.Duration(hours)*time.Hour))
}

func (s *server) revokeKey(ctx context.Context, p loci.Principal, in *onePath) (*nothing, error) {
	var id loci.CredentialID
	read(&id, in.ID)
	return done(s.app.RevokeKey(ctx, p, id))
}
