package rest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/identity"
)

// The routes about the ways in which a person signs in. Loci asks people for a proof on its own pages. These routes
// change what it can ask for there.
var signInRoutes = table{"account", []served{
	serve("GET /users/me/sign-in", route{ID: "getSignInMethods", Who: forPeople, Action: identity.SignInRead,
		Summary: "List your sign-in methods",
		Text:    "Whether a password is set, and the passkeys.",
		Out: client.SignInMethods{Password: true, Email: true, Passkeys: []client.Passkey{examplePasskey},
			Fresh: true}}, (*server).signInMethods),
	serve("PUT /users/me/password", route{ID: "setPassword", Who: forPeople, Action: identity.SignInChange,
		Limit:   expensive,
		Summary: "Set your password",
		Text: "Ends your other sign-ins. Needs step-up. 409 if your account has no e-mail address to sign in " +
			"with.",
		In: client.NewPassword{Password: "correct horse battery staple"}}, (*server).setPassword),
	serve("DELETE /users/me/password", route{ID: "removePassword", Who: forPeople, Action: identity.SignInChange,
		Summary: "Remove your password",
		Text:    "Ends your other sign-ins. Needs step-up. 409 if you could not sign in any more."},
		(*server).removePassword),
	serve("POST /users/me/passkeys/options", route{ID: "beginPasskey", Who: forPeople,
		Action: identity.SignInChange, Reads: true, Limit: expensive,
		Summary: "Begin to create a passkey",
		Text: "What the browser needs to create one. Needs step-up. 503 where browsers allow no passkeys: under " +
			"an IP address, and without TLS except on localhost.",
		Out: client.PasskeyCeremony{Options: map[string]any{"publicKey": map[string]any{"challenge": "…"}},
			State: "…"}}, (*server).beginPasskey),
	serve("POST /users/me/passkeys", route{ID: "addPasskey", Who: forPeople, Action: identity.SignInChange,
		Limit: expensive, Status: http.StatusCreated,
		Summary: "Add the passkey that the browser created",
		Text:    "Needs step-up. 409 if it is registered already.",
		In: client.NewPasskey{Name: "Laptop", State: "…", Response: map[string]any{"id": "AQIDBA",
			"type": "public-key"}}, Out: examplePasskey}, (*server).addPasskey),
	serve("DELETE /users/me/passkeys/{id}", route{ID: "removePasskey", Who: forPeople, Action: identity.SignInChange,
		Summary: "Remove a passkey",
		Text:    "Ends your other sign-ins. Needs step-up. 409 if you could not sign in any more."},
		(*server).removePasskey),
}}

var examplePasskey = client.Passkey{ID: "AQIDBA", Name: "Laptop", CreatedAt: exampleTime}

func passkeyOf(k *loci.Passkey) client.Passkey {
	return client.Passkey{ID: base64.RawURLEncoding.EncodeToString(k.ID), Name: k.Name, CreatedAt: k.CreatedAt,
		LastUsedAt: k.LastUsedAt}
}

func (s *server) signInMethods(ctx context.Context, p loci.Principal,
	_ *noBody) (*answer[client.SignInMethods], error) {
	m, err := s.app.Identity.SignInMethods(ctx, p)
	out := client.SignInMethods{Password: m.Password, Email: m.HasEmail, Fresh: p.Fresh(s.options.Now()),
		Passkeys: make([]client.Passkey, len(m.Passkeys))}
	for i := range m.Passkeys {
		out.Passkeys[i] = passkeyOf(&m.Passkeys[i])
	}
	if _, err := s.options.Site.RP(exchangeOf(ctx).request); err != nil {
		out.NoPasskeys = loci.SafeText(err)
	}
	return say(out, err)
}

func (s *server) setPassword(ctx context.Context, p loci.Principal, in *body[client.NewPassword]) (*nothing, error) {
	return done(s.app.Identity.SetPassword(ctx, p, loci.Secret(in.Body.Password)))
}

func (s *server) removePassword(ctx context.Context, p loci.Principal, _ *noBody) (*nothing, error) {
	return done(s.app.Identity.RemovePassword(ctx, p))
}

func (s *server) beginPasskey(ctx context.Context, p loci.Principal, _ *noBody) (
	*shownOnce[client.PasskeyCeremony], error) {
	rp, noSite := s.options.Site.RP(exchangeOf(ctx).request)
	options, state, err := s.app.Identity.BeginPasskey(ctx, p, rp) // who may not learns nothing of the site
	if loci.CodeOf(err) == loci.Unavailable && noSite != nil {
		err = noSite
	}
	return showOnce(client.PasskeyCeremony{Options: json.RawMessage(options), State: state.Reveal()}, err)
}

func (s *server) addPasskey(ctx context.Context, p loci.Principal, in *body[client.NewPasskey]) (
	*answer[client.Passkey], error) {
	response, err := json.Marshal(in.Body.Response)
	if err != nil {
		return nil, err
	}
	k, err := s.app.Identity.AddPasskey(ctx, p, identity.NewPasskey{Name: strings.TrimSpace(in.Body.Name),
		State: loci.Secret(in.Body.State), Response: response})
	return say(passkeyOf(&k), err)
}

type passkeyPath struct {
	ID string `path:"id" maxLength:"2000" doc:"Of the passkey, base64url" example:"AQIDBA"`
}

func (s *server) removePasskey(ctx context.Context, p loci.Principal, in *passkeyPath) (*nothing, error) {
	id, err := base64.RawURLEncoding.DecodeString(in.ID)
	if err != nil {
		id = nil // no passkey has that id
	}
	return done(s.app.Identity.RemovePasskey(ctx, p, id))
}
