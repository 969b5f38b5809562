package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/chat"
	"github.com/loci-memory/loci/internal/clientfile"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review/bymodel"
	"github.com/loci-memory/loci/internal/seal"
)

// settings is everything that the environment, a file and flags set.
type settings struct {
	DataDir     string
	Flags       map[string]string // those that set a key
	DirRelative bool              // the data directory was named relative to the working directory, without ./
	DirAsked    bool              // a flag named the data directory, and without it this would be another
	Listen      string
	PublicURL   string
	Asked       bool // the command line sets the address, which then is not that of a running server
	LogLevel    slog.Level
	LogJSON     bool
	Deletion    loci.Deletion // of orgs that set none
	Egress      bool
	RateLimit   int          // requests of a principal per minute; 0: no limits
	Proxies     auth.Proxies // trusted to report the client's address
	Hosts       []string     // further names of this machine in requests
	Origins     []string     // browser extensions that may call the API
	SignUp      bool         // people may sign up by single sign-on or a dashboard, each with a new org
	OIDC        []auth.OIDCProvider
	Toolsets    []string        // of MCP; none: the default ones
	Answer      int             // tokens of an answer over MCP, at most
	Patience    time.Duration   // of a search
	Idle        time.Duration   // of a session, until it closes; 0: never
	Events      loci.EventStore // of orgs that set none
	Dedup       bool            // Loci does not store an event again
	Window      time.Duration   // in which it looks for the earlier one
	Arc         arcSettings
	Dream       dreamSettings
	Reflect     bymodel.Options // Chat.BaseURL "": no model reads notes
	Embed       embed.SelectorOptions
	Hub         string    // where models of embeddings come from
	Master      seal.Ring // the master keys; the first one seals
	OwnerKey    loci.Secret
	AgentKeys   map[loci.Vendor]loci.Secret
	Dashboard   auth.Dashboard
	Owner       string       // the owner's e-mail address in a dashboard's tokens; "": unchanged
	Chat        chat.Options // BaseURL "": no chat

	Pager      []string // program that shows long output, with its arguments
	NoColor    bool     // no styling in a terminal
	Terminal   string   // the kind of terminal
	Editor     string   // of the person, for edit
	Display    bool     // there is one, so a browser can open
	Home       string
	ConfigDir  string            // of programs: XDG_CONFIG_HOME, else ~/.config
	AppData    string            // of programs on Windows
	ClientDirs map[string]string // directories of clients' configurations outside the home directory, by client id
	Unknown    []string          // variables that start with LOCI_ and have no meaning
	FromFile   string            // the configuration file; "": none
	FileAsked  bool              // a flag named it, and without the flag it would be another
	Decided    map[string]string // the values that the file, the environment or flags set, by key, but no secrets
}

// settingKey is one thing that can be configured: its key in the file, its variable, its default, and where it goes.
type settingKey struct {
	key, env, fallback string
	set                func(*settings, value)
}

// known lists every setting, except agents' keys and sign-on providers, whose names vary. A slash separates the parts
// of a key, because a vendor's name may contain a dot.
var known = slices.Concat(dreamKeys(), reflectKeys(), embedKeys(), []settingKey{
	{"data_dir", "LOCI_DATA_DIR", "", func(s *settings, v value) { s.DataDir = v.text() }},
	{"listen", "LOCI_LISTEN", defaultListen, func(s *settings, v value) { s.Listen = v.text() }},
	{"public_url", "LOCI_PUBLIC_URL", "", func(s *settings, v value) {
		s.PublicURL = strings.TrimRight(v.text(), "/")
		v.check(s.PublicURL == "" || isWebAddress(s.PublicURL),
			"must be an http or https address, like https://loci.example.org")
	}},
	{"log_level", "LOCI_LOG_LEVEL", "info", func(s *settings, v value) {
		_ = s.LogLevel.UnmarshalText([]byte(v.choice("debug", "info", "warn", "error"))) // choice reports it
	}},
	{"log_format", "LOCI_LOG_FORMAT", "text", func(s *settings, v value) {
		s.LogJSON = v.choice("text", "json") == "json"
	}},
	{"deletion", "LOCI_DELETION", string(loci.DeleteWithStepUp), func(s *settings, v value) {
		s.Deletion = loci.Deletion(v.choice(string(loci.DeleteWithStepUp), string(loci.DeleteWithKey)))
	}},
	{"rate_limit", "LOCI_RATE_LIMIT", "600", func(s *settings, v value) { s.RateLimit = int(v.number(1_000_000)) }},
	{"trusted_proxies", "LOCI_TRUSTED_PROXIES", "", func(s *settings, v value) {
		s.Proxies = parsed(v, auth.ParseProxies,
			"must be addresses or networks with commas between them, like 10.0.0.0/8, 192.0.2.7")
	}},
	{"allowed_hosts", "LOCI_ALLOWED_HOSTS", "", func(s *settings, v value) {
		s.Hosts = parsed(v, auth.ParseHosts, "must be host names with commas between them, like host.docker.internal")
	}},
	{"allowed_origins", "LOCI_ALLOWED_ORIGINS", "", func(s *settings, v value) {
		s.Origins = parsed(v, auth.ParseOrigins,
			"must be origins of browser extensions with commas between them, like chrome-extension://<id>")
	}},
	{"sign_up", "LOCI_SIGN_UP", "invited", func(s *settings, v value) {
		s.SignUp = v.choice("invited", "open") == "open"
	}},
	{"egress", "LOCI_EGRESS", "on", func(s *settings, v value) { s.Egress = v.onOff() }},
	{"toolsets", "LOCI_TOOLSETS", "", func(s *settings, v value) {
		s.Toolsets = parsed(v, mcpserver.ParseToolsets, "must be some of: "+strings.Join(mcpserver.Toolsets(), ", "))
	}},
	{"answer_tokens", "LOCI_ANSWER_TOKENS", strconv.Itoa(mcpserver.DefaultAnswerTokens), func(s *settings, v value) {
		s.Answer = int(v.number(mcpserver.MaxAnswerTokens))
		v.check(mcpserver.CheckAnswerTokens(s.Answer) == nil, fmt.Sprintf("must be from %d to %d",
			mcpserver.MinAnswerTokens, mcpserver.MaxAnswerTokens))
	}},
	{"search_seconds", "LOCI_SEARCH_SECONDS", strconv.Itoa(int(memory.DefaultPatience / time.Second)),
		func(s *settings, v value) {
			s.Patience = time.Duration(v.number(maxPatience.Seconds()) * float64(time.Second))
			v.check(s.Patience > 0, "must be more than 0")
		}},
	{"sessions/idle_hours", "LOCI_SESSIONS_IDLE_HOURS", "24", func(s *settings, v value) {
		s.Idle = time.Duration(v.number(maxIdle.Hours()) * float64(time.Hour))
	}},
	{"dedup/enabled", "LOCI_DEDUP_ENABLED", "on", func(s *settings, v value) { s.Dedup = v.onOff() }},
	{"dedup/window_hours", "LOCI_DEDUP_WINDOW_HOURS", strconv.Itoa(int(event.DefaultDedup.Window / time.Hour)),
		func(s *settings, v value) {
			s.Window = time.Duration(v.number(eventlog.MaxWindow.Hours()) * float64(time.Hour))
			v.check(s.Window > 0, "must be more than 0; to store duplicates, set dedup.enabled to off")
		}},
	{"events/backend", "LOCI_EVENTS_BACKEND", string(loci.EventsEmbedded), func(s *settings, v value) {
		s.Events = loci.EventStore(v.choice(string(loci.EventsEmbedded), string(loci.EventsInArc)))
	}},
	{"arc/write_batch_size", "LOCI_ARC_WRITE_BATCH_SIZE", "100", func(s *settings, v value) {
		s.Arc.BatchSize = int(v.number(10_000))
		v.check(s.Arc.BatchSize > 0, "must be from 1 to 10000")
	}},
	{"arc/write_flush_interval_ms", "LOCI_ARC_WRITE_FLUSH_INTERVAL_MS", "1000", func(s *settings, v value) {
		s.Arc.FlushInterval = time.Duration(v.number(60_000) * float64(time.Millisecond))
		v.check(s.Arc.FlushInterval >= time.Millisecond, "must be from 1 to 60000")
	}},
	{"keys/owner", "LOCI_API_KEY", "", func(s *settings, v value) { s.OwnerKey = v.apiKey() }},
	{"dashboard/service_key", "LOCI_DASHBOARD_SERVICE_KEY", "", func(s *settings, v value) {
		s.Dashboard.ServiceKey = v.secret()
	}},
	{"dashboard/jwt_secret", "LOCI_DASHBOARD_JWT_SECRET", "", func(s *settings, v value) {
		s.Dashboard.JWTSecret = v.secret()
	}},
	{"dashboard/owner_email", "LOCI_DASHBOARD_OWNER_EMAIL", "", func(s *settings, v value) { s.Owner = v.text() }},
	{"chat/base_url", "LOCI_CHAT_BASE_URL", "", func(s *settings, v value) { s.Chat.BaseURL = v.text() }},
	{"chat/api_key", "LOCI_CHAT_API_KEY", "", func(s *settings, v value) { s.Chat.APIKey = v.secret() }},
	{"chat/model", "LOCI_CHAT_MODEL", "", func(s *settings, v value) { s.Chat.Model = v.text() }},
	{"chat/temperature", "LOCI_CHAT_TEMPERATURE", "0", func(s *settings, v value) { s.Chat.Temperature = v.number(2) }},
	{"chat/max_tokens", "LOCI_CHAT_MAX_TOKENS", "0", func(s *settings, v value) {
		s.Chat.MaxTokens = int(v.number(1_000_000))
	}},
})

const (
	agentKeys      = "keys/agents/"
	agentKeyPrefix = "LOCI_AGENT_KEY_"
	configVariable = "LOCI_CONFIG"
	// The master keys are variables only: a key beside the data that it seals would be of no use.
	masterVariable     = "LOCI_MASTER_KEY"
	nextMasterVariable = "LOCI_NEW_MASTER_KEY"

	defaultListen = "127.0.0.1:5624"

	maxPatience = 5 * time.Minute
	maxIdle     = 366 * 24 * time.Hour
)

// notSettings are variables with our prefix that other code reads.
var notSettings = []string{configVariable, "LOCI_NIGHTLY"}

// environment is the one place that reads the process's environment.
func environment() []string { return os.Environ() }

// loadSettings merges defaults, the configuration file, the environment and the flags, in this order. It returns
// Invalid with the key or variable at fault, but never its value, which may be a secret.
func loadSettings(environ []string, flags *pflag.FlagSet) (*settings, error) {
	lookup := lookupIn(environ)
	home, _ := os.UserHomeDir() // "" is handled where a default needs it
	s := &settings{Home: home, ConfigDir: lookup("XDG_CONFIG_HOME"), AppData: lookup("AppData"),
		Flags: map[string]string{}, ClientDirs: map[string]string{}, AgentKeys: map[loci.Vendor]loci.Secret{},
		Editor: cmp.Or(lookup("VISUAL"), lookup("EDITOR")), NoColor: lookup("NO_COLOR") != "", Terminal: lookup("TERM"),
		Pager: strings.Fields(cmp.Or(lookup("PAGER"), "less -FRX"))}
	if !filepath.IsAbs(s.ConfigDir) { // the XDG rules: a relative value is to be ignored
		s.ConfigDir = filepath.Join(home, ".config")
	}
	s.Display = runtime.GOOS == "darwin" || runtime.GOOS == "windows" || lookup("DISPLAY")+lookup("WAYLAND_DISPLAY") != ""
	for _, c := range clients {
		if c.config.DirEnv != "" {
			s.ClientDirs[c.id] = lookup(c.config.DirEnv)
		}
	}
	r := &reader{values: map[string]any{}, flags: s.Flags}
	err := s.loadFile(r, lookup, flags)
	for i := 0; i < len(environ) && err == nil; i++ {
		err = s.loadVariable(r, environ[i])
	}
	elsewhere := &settings{Home: s.Home} // the data directory without the flag
	elsewhere.DataDir, _ = r.values["data_dir"].(string)
	flags.Visit(func(f *pflag.Flag) {
		if key := keyOfFlag(f.Name); key != "" {
			r.values[key], r.flags[key] = f.Value.String(), f.Name
		}
		s.DirAsked = s.DirAsked || f.Name == "data-dir"
		s.Asked = s.Asked || f.Name == "listen" || f.Name == "public-url"
	})
	if err != nil {
		return nil, err
	}
	s.Decided = decided(r.values)
	for _, t := range known {
		if _, ok := r.values[t.key]; !ok {
			r.values[t.key] = t.fallback
		}
		t.set(s, r.at(t.key))
	}
	for _, key := range slices.Sorted(maps.Keys(r.values)) {
		if name, ok := strings.CutPrefix(key, agentKeys); ok {
			v, vendor := r.at(key), loci.Vendor(name)
			v.check(vendor.Validate() == nil, "must end in a vendor's name: 1 to 50 of a-z, 0-9, '.', '_' and '-'")
			s.AgentKeys[vendor] = v.apiKey()
		}
	}
	s.OIDC = r.oidc()
	if r.err != nil {
		return nil, r.err
	}
	if err := s.findDataDir(lookup); err != nil {
		return nil, err
	}
	if elsewhere.findDataDir(lookup) == nil && elsewhere.DataDir == s.DataDir {
		s.DirAsked = false
	}
	return s, nil
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

// loadFile reads the file that --config or LOCI_CONFIG names, which must exist, or else the one in the platform's
// place if it exists.
func (s *settings) loadFile(r *reader, lookup func(string) string, flags *pflag.FlagSet) error {
	name := lookup(configVariable)
	if f := flags.Lookup("config"); f != nil && f.Changed {
		s.FileAsked = f.Value.String() != name
		name = f.Value.String()
	}
	asked := name != ""
	if !asked {
		var err error
		if name, err = defaultConfigFile(runtime.GOOS, lookup, s.Home); err != nil {
			return nil //nolint:nilerr // without a home there is no such file
		}
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && !asked {
		return nil
	}
	var text []byte
	if err == nil {
		defer f.Close()
		text, err = io.ReadAll(plainText(f))
	}
	var tree map[string]any
	if err == nil {
		tree, err = clientfile.ParseTOML(text)
	}
	if err != nil {
		return loci.WrapError(loci.Invalid, err, "cannot read configuration file %s: %s", name, err)
	}
	s.FromFile = name
	read := map[string]any{}
	flatten(read, "", tree)
	for _, key := range slices.Sorted(maps.Keys(read)) {
		if !strings.HasPrefix(key, agentKeys) && cmp.Or(variable(key), oidcVariable(key)) == "" {
			return unknownKey(name, key)
		}
	}
	if dir, ok := read["data_dir"].(string); ok && dir != "" && !filepath.IsAbs(dir) && !isUnderHome(dir) {
		read["data_dir"] = filepath.Join(filepath.Dir(name), dir) // relative to the file, not to the working directory
	}
	maps.Copy(r.values, read)
	return nil
}

// keyOfFlag returns the key of the setting that a flag sets, or "".
func keyOfFlag(name string) string {
	for _, t := range known {
		if strings.NewReplacer("/", "-", "_", "-").Replace(t.key) == name {
			return t.key
		}
	}
	return ""
}

// variable returns the variable of a known key, or "".
func variable(key string) string {
	for _, t := range known {
		if t.key == key {
			return t.env
		}
	}
	return ""
}

// loadVariable reads one LOCI_… variable. An empty one counts as unset, because container tools set such variables.
// The vendor of LOCI_AGENT_KEY_<VENDOR> is the rest of the name in lower case.
func (s *settings) loadVariable(r *reader, entry string) error {
	name, value, _ := strings.Cut(entry, "=")
	if !strings.HasPrefix(name, "LOCI_") || value == "" {
		return nil
	}
	if suffix, ok := strings.CutPrefix(name, agentKeyPrefix); ok {
		vendor, err := loci.ParseVendor(suffix)
		if err != nil {
			return loci.Errorf(loci.Invalid, "variable %s: %s; name it %s<VENDOR>, like %sCLAUDE", name, err, agentKeyPrefix,
				agentKeyPrefix)
		}
		r.values[agentKeys+string(vendor)] = value
		return nil
	}
	if key := oidcKey(name); key != "" {
		r.values[key] = value
		return nil
	}
	if name == masterVariable || name == nextMasterVariable {
		return s.loadMaster(name, loci.Secret(value))
	}
	for _, t := range known {
		if t.env == name {
			r.values[t.key] = value
			return nil
		}
	}
	if !slices.Contains(notSettings, name) {
		s.Unknown = append(s.Unknown, name)
	}
	return nil
}

// reader has the values of all settings, whose type is that of the TOML file or text, and the first error.
type reader struct {
	values map[string]any
	flags  map[string]string // that set them, without dashes
	err    error
}

// value is the value of one setting. Its name is the key as people know it, with its variable.
type value struct {
	*reader
	key, name string
}

func (r *reader) at(key string) value {
	return value{r, key, nameOf(key, r.flags)}
}

// nameOf returns a setting as people know it: the flag that set it, else its key with its variable.
func nameOf(key string, flags map[string]string) string {
	if flag := flags[key]; flag != "" {
		return "--" + flag
	}
	name := dotted(key)
	if env := cmp.Or(variable(key), oidcVariable(key)); env != "" {
		name += " (" + env + ")"
	}
	return name
}

func (v value) check(ok bool, text string) {
	if ok || v.err != nil {
		return
	}
	v.err = loci.FieldErrorf(v.name, "%s", text)
}

func (v value) text() string {
	s, ok := v.values[v.key].(string)
	v.check(ok, "must be text in quotes")
	return strings.TrimSpace(s)
}

// raw is text as it was written, whose spaces count.
func (v value) raw() string {
	s, ok := v.values[v.key].(string)
	v.check(ok, "must be text in quotes")
	return s
}

func (v value) secret() loci.Secret { return loci.Secret(v.text()) }

// apiKey rejects keys that can only be a mistake.
func (v value) apiKey() loci.Secret {
	key := v.text()
	v.check(key == "" || len(key) >= 8, "is too short for a key; use at least 24 random characters")
	v.check(!strings.ContainsFunc(key, unicode.IsSpace), "contains white space, which clients cannot send in a key")
	return loci.Secret(key)
}

// list reads text with commas between its parts, or a list of the file.
func (v value) list() (out []string) {
	parts, isList := v.values[v.key].([]any)
	if !isList {
		parts = []any{v.text()}
	}
	for _, part := range parts {
		text, ok := part.(string)
		v.check(ok, "must be a list of texts in quotes")
		for one := range strings.SplitSeq(text, ",") {
			if one = strings.TrimSpace(one); one != "" {
				out = append(out, one)
			}
		}
	}
	return out
}

// parsed reads a list that parse takes with commas. want describes what is valid.
func parsed[T any](v value, parse func(string) (T, error), want string) (out T) {
	if list := v.list(); len(list) > 0 {
		var err error
		out, err = parse(strings.Join(list, ","))
		v.check(err == nil, want)
	}
	return out
}

func (v value) choice(options ...string) string {
	s := strings.ToLower(v.text())
	v.check(slices.Contains(options, s), "must be one of: "+strings.Join(options, ", "))
	return s
}

// onOff reads a switch: text, or a boolean of the file.
func (v value) onOff() bool {
	on, err := parseOnOff(v.name, strings.TrimSpace(fmt.Sprint(v.values[v.key])))
	v.check(err == nil, "must be on or off")
	return on
}

func (v value) number(most float64) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(fmt.Sprint(v.values[v.key])), 64)
	v.check(err == nil && n >= 0 && n <= most, "must be a number from 0 to "+strconv.FormatFloat(most, 'f', -1, 64))
	return n
}
