package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// The single sign-ons are named by the operator: [oidc.<id>] in the file,
// LOCI_OIDC_<ID>_… in the environment.
const (
	oidcPrefix         = "oidc/"
	oidcVariablePrefix = "LOCI_OIDC_"
)

// oidcFields are the parts of one. Of two that a variable ends in, the longer
// stands first.
var oidcFields = []string{"client_secret", "client_id", "issuer", "domains", "name"}

// splitOIDC returns the id and the field of a key.
func splitOIDC(key string) (id, field string, ok bool) {
	rest, found := strings.CutPrefix(key, oidcPrefix)
	id, field, cut := strings.Cut(rest, delim)
	return id, field, found && cut && id != "" && slices.Contains(oidcFields, field)
}

func isOIDC(key string) bool {
	_, _, ok := splitOIDC(key)
	return ok
}

// oidcKey is the key that a variable sets, "" if it sets none of these.
func oidcKey(variable string) string {
	rest, ok := strings.CutPrefix(variable, oidcVariablePrefix)
	if !ok {
		return ""
	}
	for _, field := range oidcFields {
		if id, ok := strings.CutSuffix(rest, "_"+strings.ToUpper(field)); ok && id != "" {
			return oidcPrefix + strings.ReplaceAll(strings.ToLower(id), "_", "-") + delim + field
		}
	}
	return ""
}

func oidcVariable(key string) string {
	id, field, _ := splitOIDC(key)
	return oidcVariablePrefix + strings.ReplaceAll(strings.ToUpper(id), "-", "_") + "_" + strings.ToUpper(field)
}

// oidc reads every single sign-on. What is wrong with one names its field and
// never its value.
func (r *reader) oidc() []auth.OIDCProvider {
	ids := map[string]bool{}
	for _, key := range r.k.Keys() {
		if id, _, ok := splitOIDC(key); ok {
			ids[id] = true
		}
	}
	var out []auth.OIDCProvider
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		at := func(field string) string { return oidcPrefix + id + delim + field }
		one := func(field string) string {
			if !r.k.Exists(at(field)) {
				return ""
			}
			return r.text(at(field))
		}
		p := auth.OIDCProvider{ID: id, Issuer: one("issuer"), ClientID: one("client_id"), ClientSecret: loci.Secret(one("client_secret")),
			Name: cmp.Or(one("name"), id)}
		if r.k.Exists(at("domains")) {
			for _, domain := range r.list(at("domains")) {
				r.check(at("domains"), isDomain(domain), "must be domains like example.org, without @")
				p.Domains = append(p.Domains, strings.ToLower(domain))
			}
		}
		r.check(at("issuer"), isOIDCName(id), "has a name that cannot stand in an address: use a-z, 0-9 and '-'")
		r.check(at("issuer"), isIssuer(p.Issuer), "must be the https address of the provider, as its discovery document says it")
		r.check(at("client_id"), p.ClientID != "", "is missing")
		r.check(at("name"), len(p.Name) <= loci.MaxName, "is too long")
		out = append(out, p)
	}
	return out
}

func isOIDCName(id string) bool {
	return len(id) <= 50 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func isDomain(s string) bool { return strings.Contains(s, ".") && !strings.ContainsAny(s, "@/: ") }

// isIssuer takes plain http on this machine only, for trying things out.
func isIssuer(s string) bool {
	return isWebAddress(s) && (strings.HasPrefix(s, "https://") || isLoopbackURL(s))
}

// doubtsAboutPeople are those about who gets in, and from where.
func (s *settings) doubtsAboutPeople() (out []string) {
	if len(s.OIDC) > 0 && !s.Egress {
		out = append(out, "egress is off: nobody can sign in by a provider (oidc)")
	}
	if len(s.OIDC) > 0 && s.PublicURL == "" {
		out = append(out, "a provider (oidc) sends people back to this machine only, without "+named("public_url"))
	}
	if s.SignUp && len(s.OIDC) == 0 {
		out = append(out, named("sign_up")+" is open, and there is no provider (oidc) that people could sign up with")
	}
	for _, p := range s.Proxies {
		if p.Bits() == 0 {
			out = append(out, named("trusted_proxies")+" trusts everybody: whoever asks can claim any address, and limits by address do not hold")
		}
	}
	return out
}
