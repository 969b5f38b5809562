package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// The operator names the sign-on providers: [oidc.<id>] in the file, LOCI_OIDC_<ID>_… in the environment.
const (
	oidcPrefix         = "oidc/"
	oidcVariablePrefix = "LOCI_OIDC_"
)

// oidcFields are the settings of a provider. No field may be a suffix of a later one.
var oidcFields = []struct {
	name string
	set  func(*auth.OIDCProvider, value)
}{
	{"client_secret", func(p *auth.OIDCProvider, v value) { p.ClientSecret = v.secret() }},
	{"client_id", func(p *auth.OIDCProvider, v value) { p.ClientID = v.text() }},
	{"issuer", func(p *auth.OIDCProvider, v value) { p.Issuer = v.text() }},
	{"domains", func(p *auth.OIDCProvider, v value) {
		for _, domain := range v.list() {
			v.check(isDomain(domain), "must be domains like example.org, without @")
			p.Domains = append(p.Domains, strings.ToLower(domain))
		}
	}},
	{"name", func(p *auth.OIDCProvider, v value) {
		p.Name = cmp.Or(v.text(), p.ID)
		v.check(len(p.Name) <= loci.MaxName, "is too long")
	}},
}

// oidcKey is the key that a variable sets, "" if it sets none of these.
func oidcKey(variable string) string {
	rest, ok := strings.CutPrefix(variable, oidcVariablePrefix)
	for _, field := range oidcFields {
		if id, found := strings.CutSuffix(rest, "_"+strings.ToUpper(field.name)); ok && found && id != "" {
			return oidcPrefix + strings.ReplaceAll(strings.ToLower(id), "_", "-") + "/" + field.name
		}
	}
	return ""
}

// oidcVariable is the variable that sets a key, "" if the key is none of these.
func oidcVariable(key string) string {
	rest, ok := strings.CutPrefix(key, oidcPrefix)
	id, field, _ := strings.Cut(rest, "/")
	for _, f := range oidcFields {
		if ok && id != "" && f.name == field {
			return oidcVariablePrefix + strings.ReplaceAll(strings.ToUpper(id), "-", "_") + "_" + strings.ToUpper(field)
		}
	}
	return ""
}

// oidc reads every sign-on provider. An error names the field at fault, never its value.
func (r *reader) oidc() (out []auth.OIDCProvider) {
	for _, key := range slices.Sorted(maps.Keys(r.values)) {
		if oidcVariable(key) == "" {
			continue
		}
		id, field, _ := strings.Cut(strings.TrimPrefix(key, oidcPrefix), "/")
		if n := len(out); n == 0 || out[n-1].ID != id {
			out = append(out, auth.OIDCProvider{ID: id, Name: id})
		}
		for _, f := range oidcFields {
			if f.name == field {
				f.set(&out[len(out)-1], r.at(key))
			}
		}
	}
	for _, p := range out {
		issuer := r.at(oidcPrefix + p.ID + "/issuer")
		issuer.check(isOIDCName(p.ID), "has an id that is invalid in addresses; use a-z, 0-9 and '-'")
		issuer.check(isIssuer(p.Issuer), "must be the provider's https address, as in its discovery document")
		r.at(oidcPrefix+p.ID+"/client_id").check(p.ClientID != "", "is missing")
	}
	return out
}

func isOIDCName(id string) bool {
	return len(id) <= 50 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func isDomain(s string) bool { return strings.Contains(s, ".") && !strings.ContainsAny(s, "@/: ") }

// isIssuer allows plain http on this machine only, for experiments.
func isIssuer(s string) bool {
	return isWebAddress(s) && (strings.HasPrefix(s, "https://") || isLoopbackURL(s))
}
