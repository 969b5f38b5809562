package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/bymodel"
	"github.com/loci-memory/loci/internal/store"
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

// reflectKeys are the settings of the model that reads notes besides the rules. Without reflect.base_url, there is
// none.
func reflectKeys() []settingKey {
	return []settingKey{
		{"reflect/base_url", "LOCI_REFLECT_BASE_URL", "", func(s *settings, v value) { s.Reflect.Chat.BaseURL = v.text() }},
		{"reflect/api_key", "LOCI_REFLECT_API_KEY", "", func(s *settings, v value) { s.Reflect.Chat.APIKey = v.secret() }},
		{"reflect/model", "LOCI_REFLECT_MODEL", "", func(s *settings, v value) { s.Reflect.Chat.Model = v.text() }},
		{"reflect/timeout_seconds", "LOCI_REFLECT_TIMEOUT_SECONDS",
			strconv.Itoa(int(bymodel.DefaultTimeout / time.Second)), func(s *settings, v value) {
				most := bymodel.MaxTimeout.Seconds()
				seconds := v.number(most)
				v.check(seconds > 0, fmt.Sprintf("must be more than 0 and at most %g", most))
				s.Reflect.Chat.Timeout = time.Duration(seconds * float64(time.Second))
			}},
		{"reflect/max_tokens", "LOCI_REFLECT_MAX_TOKENS", strconv.Itoa(bymodel.DefaultMaxTokens),
			func(s *settings, v value) {
				s.Reflect.Chat.MaxTokens = int(v.number(100_000))
				v.check(s.Reflect.Chat.MaxTokens > 0, "must be from 1 to 100000")
			}},
		{"reflect/tokens_per_day", "LOCI_REFLECT_TOKENS_PER_DAY", strconv.Itoa(bymodel.DefaultTokensPerDay),
			func(s *settings, v value) {
				s.Reflect.TokensPerDay = int(v.number(1e12))
				v.check(s.Reflect.TokensPerDay > 0, "must be more than 0; to ask no model, leave reflect.base_url out")
			}},
	}
}

func (s *settings) asksModel() bool { return s.Reflect.Chat.BaseURL != "" && s.Egress }

// extractor returns what reads notes besides the rules, or nil. If egress is off, it is always nil.
func (p *program) extractor(st store.Store) (review.Extractor, error) {
	if !p.settings.asksModel() {
		return nil, nil
	}
	o := p.settings.Reflect
	o.Limits, o.Log = st.Limits(), p.log
	e, err := bymodel.New(o)
	if err != nil {
		return nil, err
	}
	return e, nil
}
