package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// warnings lists valid settings that are probably mistakes, for the log and for doctor. It contains no values.
func (s *settings) warnings() (out []string) {
	nameOf := func(key string) string { return new(reader).at(key).name }
	warn := func(probable bool, text string) {
		if probable {
			out = append(out, text)
		}
	}
	short := func(key string, value loci.Secret) {
		warn(value != "" && len(value) < 16, nameOf(key)+" is short and easy to guess; use at least 24 random characters")
	}
	short("keys/owner", s.OwnerKey)
	for _, vendor := range slices.Sorted(maps.Keys(s.AgentKeys)) {
		short(agentKeys+string(vendor), s.AgentKeys[vendor])
	}
	warn(s.Chat.BaseURL == "" && (s.Chat.Model != "" || s.Chat.APIKey != ""),
		"a chat model or its key is configured without "+nameOf("chat/base_url")+"; Loci uses no model")
	warn(!s.Egress && s.Chat.BaseURL != "", "egress is off; Loci does not use the configured chat model")
	warn(s.Reflect.Chat.BaseURL == "" && (s.Reflect.Chat.Model != "" || s.Reflect.Chat.APIKey != ""),
		"a model for notes or its key is configured without "+nameOf("reflect/base_url")+"; the rules read notes alone")
	warn(!s.Egress && s.Reflect.Chat.BaseURL != "",
		"egress is off; Loci sends no notes to the configured model, and the rules read them alone")
	warn(!s.Egress && s.Embed.Endpoint.BaseURL != "",
		"egress is off; Loci sends no memories to the embedding endpoint, and finds them by their words only")
	warn(s.Embed.Endpoint.BaseURL == "" && (s.Embed.Endpoint.APIKey != "" || s.Embed.Endpoint.Dims > 0),
		"a key or the dimensions of an embedding endpoint are configured without "+nameOf("embed/base_url"))
	providers := len(s.OIDC) > 0
	warn(providers && !s.Egress, "egress is off; nobody can sign in through a provider (oidc)")
	warn(providers && s.PublicURL == "",
		nameOf("public_url")+" is missing; a provider (oidc) can redirect people to this machine only")
	warn(s.isPlain(), nameOf("public_url")+" is not https: keys and memories are unencrypted on the network, and sign-in "+
		"with browsers and OAuth are off; put a reverse proxy with TLS in front")
	warn(s.SignUp && !providers && s.Dashboard.ServiceKey == "",
		nameOf("sign_up")+" is open, but there is no provider (oidc) to sign up with")
	for _, p := range s.Proxies {
		warn(p.Bits() == 0,
			nameOf("trusted_proxies")+" trusts everybody: any client can claim any address and evade limits by address")
	}
	return append(out, s.unknown()...)
}

// unknown lists the variables that are probably misspelled.
func (s *settings) unknown() (out []string) {
	names := []string{configVariable, masterVariable, nextMasterVariable}
	for _, t := range known {
		names = append(names, t.env)
	}
	for _, name := range s.Unknown {
		out = append(out, "unknown variable "+name+cmp.Or(didYouMean(name, names), "; is it misspelled?"))
	}
	return out
}

// unknownKey refuses a key of a configuration file, or a section without keys.
func unknownKey(file, key string) error {
	what, known := "key", knownKeys()
	if section, empty := strings.CutSuffix(key, "/"); empty {
		key, what, known = section, "section", sections()
	}
	return loci.Errorf(loci.Invalid, "configuration file %s: unknown %s %q%s; known %ss: %s", file, what, dotted(key),
		didYouMean(dotted(key), known), what, strings.Join(known, ", "))
}

// sections returns the sections that a configuration file may have.
func sections() []string {
	names := []string{"keys", "keys.agents", "oidc", "oidc.<id>"}
	for _, t := range known {
		if section, _, ok := strings.Cut(t.key, "/"); ok {
			names = append(names, section)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isSection reports whether a configuration file may have a section, without its last slash.
func isSection(name string) bool {
	provider, ok := strings.CutPrefix(name, "oidc/")
	return slices.Contains(sections(), dotted(name)) || ok && !strings.Contains(provider, "/")
}

// flatten puts the leaves of a tree into values, with the path of each as its key. The key of an unknown section
// without leaves ends in a slash.
func flatten(values map[string]any, prefix string, tree map[string]any) {
	for key, value := range tree {
		if below, ok := value.(map[string]any); ok {
			if len(below) == 0 && !isSection(prefix+key) {
				values[prefix+key+"/"] = nil
			}
			flatten(values, prefix+key+"/", below)
		} else {
			values[prefix+key] = value
		}
	}
}

func dotted(key string) string { return strings.ReplaceAll(key, "/", ".") }

func knownKeys() []string {
	names := []string{"keys.agents.<vendor>", "oidc.<id>"}
	for _, t := range known {
		names = append(names, dotted(t.key))
	}
	slices.Sort(names)
	return names
}
