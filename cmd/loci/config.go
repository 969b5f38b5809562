package main

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/mcpserver"
)

// settings is everything that the environment, a file and flags decide.
type settings struct {
	DataDir   string
	Listen    string
	PublicURL string
	LogLevel  slog.Level
	LogJSON   bool
	Deletion  loci.Deletion // of orgs that say nothing
	Egress    bool
	RateLimit int          // requests of a principal in a minute; 0: no limits
	Proxies   auth.Proxies // whose word about the client's address counts
	SignUp    bool         // whoever a single sign-on names may join with an org of their own
	OIDC      []auth.OIDCProvider
	Toolsets  []string // of MCP; none: the default ones
	OwnerKey  loci.Secret
	AgentKeys map[loci.Vendor]loci.Secret
	Dashboard auth.Dashboard
	Owner     string          // the owner's e-mail in a dashboard's tokens; "": as it is
	Chat      app.ChatOptions // BaseURL "": no chat

	Editor     string // of the person, for edit
	Home       string
	ClientDirs map[string]string // where clients keep their configuration if not at home, by the client's id
	Unknown    []string          // variables that start with LOCI_ and mean nothing
	FromFile   string            // the configuration file that was read; "": none
}

// delim separates the parts of a key inside koanf. It is not a dot, because a
// vendor's name may have one.
const delim = "/"

// setting is one thing that can be configured: its key in the file (with dots
// for people), its variable and the value if nobody says anything.
type setting struct {
	key, env string
	fallback any
}

// known lists every setting but for the agents' keys and the single sign-ons,
// which have names of their own.
var known = []setting{
	{"data_dir", "LOCI_DATA_DIR", ""},
	{"listen", "LOCI_LISTEN", "127.0.0.1:5624"},
	{"public_url", "LOCI_PUBLIC_URL", ""},
	{"log_level", "LOCI_LOG_LEVEL", "info"},
	{"log_format", "LOCI_LOG_FORMAT", "text"},
	{"deletion", "LOCI_DELETION", string(loci.DeleteWithStepUp)},
	{"rate_limit", "LOCI_RATE_LIMIT", "600"},
	{"trusted_proxies", "LOCI_TRUSTED_PROXIES", ""},
	{"sign_up", "LOCI_SIGN_UP", "invited"},
	{"egress", "LOCI_EGRESS", "on"},
	{"toolsets", "LOCI_TOOLSETS", ""},
	{"keys/owner", "LOCI_API_KEY", ""},
	{"dashboard/service_key", "LOCI_DASHBOARD_SERVICE_KEY", ""},
	{"dashboard/jwt_secret", "LOCI_DASHBOARD_JWT_SECRET", ""},
	{"dashboard/owner_email", "LOCI_DASHBOARD_OWNER_EMAIL", ""},
	{"chat/base_url", "LOCI_CHAT_BASE_URL", ""},
	{"chat/api_key", "LOCI_CHAT_API_KEY", ""},
	{"chat/model", "LOCI_CHAT_MODEL", ""},
	{"chat/temperature", "LOCI_CHAT_TEMPERATURE", "0"},
	{"chat/max_tokens", "LOCI_CHAT_MAX_TOKENS", "0"},
}

const (
	agentKeys      = "keys/agents/"
	agentKeyPrefix = "LOCI_AGENT_KEY_"
	configVariable = "LOCI_CONFIG"
)

// notSettings are variables that start like ours and are read elsewhere.
var notSettings = []string{configVariable, "LOCI_NIGHTLY"}

// environment is the one place that reads the process's environment.
func environment() []string { return os.Environ() }

// loadSettings merges defaults, the configuration file, the environment and
// the flags, in this order. Invalid names the key or variable at fault and
// never repeats its value, which may be a secret.
func loadSettings(environ []string, flags *pflag.FlagSet) (*settings, error) {
	lookup := lookupIn(environ)
	home, _ := os.UserHomeDir() // "" is handled where a default needs it
	s := &settings{Home: home, ClientDirs: map[string]string{}, Editor: cmp.Or(lookup("VISUAL"), lookup("EDITOR"))}
	for _, c := range clients {
		if c.config.DirEnv != "" {
			s.ClientDirs[c.id] = lookup(c.config.DirEnv)
		}
	}
	k := koanf.New(delim)
	defaults := map[string]any{}
	for _, t := range known {
		defaults[t.key] = t.fallback
	}
	if err := k.Load(confmap.Provider(defaults, delim), nil); err != nil {
		return nil, err
	}
	if err := s.loadFile(k, lookup, flags); err != nil {
		return nil, err
	}
	if err := s.loadEnvironment(k, environ); err != nil {
		return nil, err
	}
	fromFlags := posflag.ProviderWithFlag(flags, delim, k, func(f *pflag.Flag) (string, any) {
		key := strings.ReplaceAll(f.Name, "-", "_")
		if !f.Changed || !slices.ContainsFunc(known, func(t setting) bool { return t.key == key }) {
			return "", nil
		}
		return key, f.Value.String()
	})
	if err := k.Load(fromFlags, nil); err != nil {
		return nil, err
	}
	if err := s.fill(k); err != nil {
		return nil, err
	}
	return s, s.findDataDir(lookup)
}

func lookupIn(environ []string) func(string) string {
	return func(name string) string {
		for _, e := range slices.Backward(environ) {
			key, value, _ := strings.Cut(e, "=")
			if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
				return value
			}
		}
		return ""
	}
}

// loadFile reads the file that --config or LOCI_CONFIG names, which must be
// there, or else the one in the platform's place if it is.
func (s *settings) loadFile(k *koanf.Koanf, lookup func(string) string, flags *pflag.FlagSet) error {
	name, asked := lookup(configVariable), true
	if f := flags.Lookup("config"); f != nil && f.Changed {
		name = f.Value.String()
	}
	if name == "" {
		var err error
		if name, err = defaultConfigFile(runtime.GOOS, lookup, s.Home); err != nil {
			return nil //nolint:nilerr // without a home there is no such file
		}
		asked = false
	}
	read := koanf.New(delim)
	err := read.Load(file.Provider(name), toml.Parser())
	if errors.Is(err, fs.ErrNotExist) && !asked {
		return nil
	}
	if err != nil {
		return loci.WrapError(loci.Invalid, err, "configuration file %s: %s", name, err)
	}
	s.FromFile = name
	for _, key := range read.Keys() {
		if !isSetting(key) {
			return loci.Errorf(loci.Invalid, "configuration file %s: unknown key %q; known are %s", name, dotted(key), knownKeys())
		}
	}
	if dir, ok := read.Get("data_dir").(string); ok && dir != "" && !filepath.IsAbs(dir) && !isUnderHome(dir) {
		if err := read.Set("data_dir", filepath.Join(filepath.Dir(name), dir)); err != nil { // not where the command happens to run
			return err
		}
	}
	return k.Merge(read)
}

// isUnderHome knows the short form of the home directory, which only a shell
// resolves, and which people write where there is none.
func isUnderHome(dir string) bool {
	return dir == "~" || strings.HasPrefix(dir, "~/") || strings.HasPrefix(dir, "~"+string(filepath.Separator))
}

func isSetting(key string) bool {
	return strings.HasPrefix(key, agentKeys) || isOIDC(key) || slices.ContainsFunc(known, func(t setting) bool { return t.key == key })
}

func dotted(key string) string { return strings.ReplaceAll(key, delim, ".") }

func knownKeys() string {
	names := []string{"keys.agents.<vendor>", "oidc.<id>"}
	for _, t := range known {
		names = append(names, dotted(t.key))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// loadEnvironment reads LOCI_… variables. An empty one is as good as none, as
// container tools set them. The vendor of LOCI_AGENT_KEY_<VENDOR> is the rest
// of the name in lower case; an underscore stays one.
func (s *settings) loadEnvironment(k *koanf.Koanf, environ []string) error {
	var bad error
	provider := env.Provider(delim, env.Opt{Prefix: "LOCI_", EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			if value == "" {
				return "", nil
			}
			if suffix, ok := strings.CutPrefix(name, agentKeyPrefix); ok {
				vendor, err := loci.ParseVendor(suffix)
				if err != nil {
					bad = loci.Errorf(loci.Invalid, "variable %s: %s; name it %s<VENDOR>, like %sCLAUDE", name, err, agentKeyPrefix, agentKeyPrefix)
				}
				return agentKeys + string(vendor), value
			}
			if key := oidcKey(name); key != "" {
				return key, value
			}
			for _, t := range known {
				if t.env == name {
					return t.key, value
				}
			}
			if !slices.Contains(notSettings, name) {
				s.Unknown = append(s.Unknown, name)
			}
			return "", nil
		}})
	return errors.Join(k.Load(provider, nil), bad)
}

// fill checks every value and puts it into its field.
func (s *settings) fill(k *koanf.Koanf) error {
	r := reader{k: k}
	s.DataDir, s.Listen, s.PublicURL = r.text("data_dir"), r.text("listen"), strings.TrimRight(r.text("public_url"), "/")
	s.OwnerKey = loci.Secret(r.text("keys/owner"))
	s.Dashboard = auth.Dashboard{ServiceKey: loci.Secret(r.text("dashboard/service_key")), JWTSecret: loci.Secret(r.text("dashboard/jwt_secret"))}
	s.Owner = r.text("dashboard/owner_email")
	s.Chat = app.ChatOptions{BaseURL: r.text("chat/base_url"), APIKey: loci.Secret(r.text("chat/api_key")), Model: r.text("chat/model"),
		Temperature: r.number("chat/temperature", 2), MaxTokens: int(r.number("chat/max_tokens", 1_000_000))}
	s.Egress = r.choice("egress", "on", "off") == "on"
	s.LogJSON = r.choice("log_format", "text", "json") == "json"
	s.Deletion = loci.Deletion(r.choice("deletion", string(loci.DeleteWithStepUp), string(loci.DeleteWithKey)))
	s.RateLimit = int(r.number("rate_limit", 1_000_000))
	s.SignUp = r.choice("sign_up", "invited", "open") == "open"
	s.Proxies = r.proxies("trusted_proxies")
	s.OIDC = r.oidc()
	s.Toolsets = r.toolsets("toolsets")
	if err := s.LogLevel.UnmarshalText([]byte(r.choice("log_level", "debug", "info", "warn", "error"))); err != nil && r.err == nil {
		r.err = err
	}
	r.check("public_url", s.PublicURL == "" || isWebAddress(s.PublicURL), "must be an http or https address, like https://loci.example.org")
	s.AgentKeys = map[loci.Vendor]loci.Secret{}
	for _, name := range slices.Sorted(maps.Keys(k.Cut(strings.TrimSuffix(agentKeys, delim)).All())) {
		vendor := loci.Vendor(name)
		err := vendor.Validate()
		r.check(agentKeys+name, err == nil, "does not end in a vendor's name: 1 to 50 of a-z, 0-9, '.', '_' and '-'")
		s.AgentKeys[vendor] = loci.Secret(r.text(agentKeys + name))
		r.checkKey(agentKeys+name, s.AgentKeys[vendor])
	}
	if s.OwnerKey != "" {
		r.checkKey("keys/owner", s.OwnerKey)
	}
	return r.err
}

const (
	minKey  = 8  // what is shorter is a mistake
	goodKey = 16 // what is shorter can be guessed
)

// doubts lists what is allowed and hardly meant, for the log and for doctor.
// It repeats no value.
func (s *settings) doubts() []string {
	var out []string
	short := func(key string, value loci.Secret) {
		if value != "" && len(value) < goodKey {
			out = append(out, named(key)+" is short, and short keys can be guessed; use at least 24 random characters")
		}
	}
	short("keys/owner", s.OwnerKey)
	for _, vendor := range slices.Sorted(maps.Keys(s.AgentKeys)) {
		short(agentKeys+string(vendor), s.AgentKeys[vendor])
	}
	if s.Chat.BaseURL == "" && (s.Chat.Model != "" || s.Chat.APIKey != "") {
		out = append(out, "a chat model or its key is configured without "+named("chat/base_url")+": no model is used")
	}
	if !s.Egress && s.Chat.BaseURL != "" {
		out = append(out, "egress is off: the configured chat model is not used")
	}
	out = append(out, s.doubtsAboutPeople()...)
	for _, name := range s.Unknown {
		out = append(out, "the variable "+name+" means nothing to Loci; is it a typing error?")
	}
	return out
}

// reader takes values out of koanf and keeps the first error.
type reader struct {
	k   *koanf.Koanf
	err error
}

func (r *reader) check(key string, ok bool, text string) {
	if ok || r.err != nil {
		return
	}
	r.err = loci.FieldErrorf(named(key), "%s", text)
}

// checkKey keeps out what can only be a mistake.
func (r *reader) checkKey(key string, value loci.Secret) {
	r.check(key, len(value) >= minKey, "is too short to be a key: use at least 24 random characters")
	r.check(key, !strings.ContainsFunc(value.Reveal(), unicode.IsSpace), "has white space in it, which no client can send as a key")
}

// proxies reads addresses and networks: a text with commas, or a list.
func (r *reader) proxies(key string) auth.Proxies {
	got, err := auth.ParseProxies(strings.Join(r.list(key), ","))
	r.check(key, err == nil, "must be addresses or networks with commas between them, like 10.0.0.0/8, 192.0.2.7")
	return got
}

// toolsets reads names of toolsets: a text with commas, or a list.
func (r *reader) toolsets(key string) []string {
	list := r.list(key)
	if len(list) == 0 {
		return nil
	}
	got, err := mcpserver.ParseToolsets(strings.Join(list, ","))
	r.check(key, err == nil, "must be some of: "+strings.Join(mcpserver.Toolsets(), ", "))
	return got
}

// named is a key as people know it, with its variable.
func named(key string) string {
	if isOIDC(key) {
		return dotted(key) + " (" + oidcVariable(key) + ")"
	}
	for _, t := range known {
		if t.key == key {
			return dotted(key) + " (" + t.env + ")"
		}
	}
	return dotted(key)
}

func (r *reader) text(key string) string {
	s, ok := r.k.Get(key).(string)
	r.check(key, ok, "must be a text in quotes")
	return strings.TrimSpace(s)
}

// list reads texts: one with commas between its parts, or a list of the file.
func (r *reader) list(key string) []string {
	var out []string
	parts, isList := r.k.Get(key).([]any)
	if !isList {
		parts = []any{r.text(key)}
	}
	for _, part := range parts {
		text, ok := part.(string)
		r.check(key, ok, "must be a list of texts in quotes")
		for one := range strings.SplitSeq(text, ",") {
			if one = strings.TrimSpace(one); one != "" {
				out = append(out, one)
			}
		}
	}
	return out
}

func (r *reader) choice(key string, options ...string) string {
	if b, ok := r.k.Get(key).(bool); ok && slices.Contains(options, "on") { // egress = false, for those who think so
		return map[bool]string{true: "on", false: "off"}[b]
	}
	s := strings.ToLower(r.text(key))
	r.check(key, slices.Contains(options, s), "must be one of: "+strings.Join(options, ", "))
	return s
}

func (r *reader) number(key string, most float64) float64 {
	var n float64
	var err error
	switch v := r.k.Get(key).(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	case string:
		n, err = strconv.ParseFloat(strings.TrimSpace(v), 64)
	default:
		err = strconv.ErrSyntax
	}
	r.check(key, err == nil && n >= 0 && n <= most, "must be a number from 0 to "+strconv.FormatFloat(most, 'f', -1, 64))
	return n
}

func (s *settings) findDataDir(lookup func(string) string) (err error) {
	if s.DataDir == "" {
		s.DataDir, err = defaultDataDir(runtime.GOOS, lookup, s.Home)
		return err
	}
	if isUnderHome(s.DataDir) {
		if s.Home == "" {
			return loci.FieldErrorf("data_dir", "begins with ~, and no home directory is known")
		}
		s.DataDir = filepath.Join(s.Home, s.DataDir[1:])
	}
	s.DataDir, err = filepath.Abs(s.DataDir)
	return err
}
