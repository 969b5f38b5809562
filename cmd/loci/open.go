package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/deployment"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/vectors"
)

// instance is an open data directory with its use cases.
type instance struct {
	store    *engine
	app      *app.App
	auth     *auth.Authenticator
	signIn   *auth.SignIn
	oauth    *oauth.Server
	events   *eventLogs
	models   *embed.Selector
	operator loci.Principal // the person at this command line
	// settings returns the settings of the moment: those of the program, with what people changed meanwhile.
	settings func(context.Context) *settings
}

// missing defines what to do if the data directory does not exist.
type missing int

const (
	create missing = iota // create it
	refuse                // fail: there is nothing to read
)

// with opens the data directory, runs fn and closes it again.
func (p *program) with(ctx context.Context, absent missing, fn func(*instance) error) (err error) {
	p.settings.Embed.Patient = true
	in, err := p.open(ctx, absent)
	if err != nil {
		return err
	}
	defer func() {
		in.flush(ctx)
		err = errors.Join(err, in.close())
	}()
	if err := p.noteVendors(ctx, in); err != nil {
		return err
	}
	return fn(in)
}

func (p *program) open(ctx context.Context, absent missing) (*instance, error) {
	s := p.settings
	if err := s.unusable(absent); err != nil {
		return nil, err
	}
	if absent == refuse && hasNoData(s.DataDir) && !isFile(s.DataDir) {
		return nil, loci.Errorf(loci.NotFound,
			"no memories in %s yet; create the first with `%s` or `loci add`, or choose another directory with --data-dir",
			s.DataDir, p.serveLine(ctx))
	}
	if err := p.finishRestore(ctx); err != nil {
		return nil, err
	}
	st, err := openEngine(ctx, s.DataDir, p.log, absent == refuse)
	if errors.Is(err, fs.ErrPermission) {
		return nil, loci.WrapError(loci.CodeOf(err), err,
			"%s; make it writable for this user, or choose another with --data-dir", err)
	}
	if err != nil {
		return nil, err
	}
	events := p.openEventLogs(st)
	in, err := p.assemble(ctx, st, events)
	if err != nil {
		return nil, errors.Join(err, events.Close(), st.Close())
	}
	in.events = events
	return in, nil
}

// close closes everything that open opened.
func (in *instance) close() error {
	return errors.Join(in.app.Vectors.Close(), in.events.Close(), in.store.Close())
}

func (p *program) assemble(ctx context.Context, st *engine, events *eventLogs) (_ *instance, err error) {
	s := p.settings
	chat, err := p.chat()
	if err != nil {
		return nil, err
	}
	models, err := p.selector()
	if err != nil {
		return nil, err
	}
	extractor, err := p.extractor(st)
	if err != nil {
		return nil, err
	}
	in := &instance{store: st, events: events, models: models,
		oauth: oauth.New(oauth.Options{Store: st, Log: p.log, Egress: s.Egress})}
	dashboard := s.Dashboard
	dashboard.Open = s.SignUp
	in.auth, err = auth.New(auth.Options{Store: st, OwnerKey: s.OwnerKey, AgentKeys: s.AgentKeys, Dashboard: dashboard,
		Site: p.site(), Log: p.log})
	if err != nil {
		return nil, err
	}
	in.signIn, err = auth.NewSignIn(auth.SignInOptions{Authenticator: in.auth, Store: st, Log: p.log, Site: p.site(),
		OIDC: s.OIDC, Open: s.SignUp, Egress: s.Egress})
	if err != nil {
		return nil, err
	}
	in.settings = func(ctx context.Context) *settings { return s.with(in.app.Setting.Changed(ctx)) }
	in.app = app.New(app.Options{Store: st, Chat: chat, Log: p.log, Deletion: s.Deletion, OAuth: in.oauth,
		SignIn: in.signIn, Patience: s.Patience, ModelPatience: s.modelPatience(), Extractor: extractor,
		Thresholds: in.thresholds, Settings: p.settingKeys(), IndexDir: indexDir(s.DataDir), Models: models,
		GraphIndexDir: graphIndexDir(s.DataDir),
		Vectors:       vectors.NewFiles(vectorsDir(s.DataDir)), Events: s.eventOptions(events, in.settings), Master: s.Master,
		DropEvents: events.Drop, Arcs: events.Ready, Unwritable: st.Unwritable() != nil,
		Deployment: deployment.Options{Backups: p.backups(), Copy: backUp(st)}})
	if _, _, err = in.app.Identity.Setup(ctx); err != nil {
		return nil, err
	}
	if s.Owner != "" {
		if err := in.app.Identity.SetOwnerEmail(ctx, s.Owner); err != nil {
			return nil, err
		}
	}
	in.operator, err = in.auth.Local(ctx, "")
	return in, err
}

// site has the server's own addresses.
func (p *program) site() auth.Site {
	return auth.Site{PublicURL: p.settings.PublicURL, Hosts: p.settings.Hosts}
}

// chat returns the configured model, or nil. If egress is off, it is always nil.
func (p *program) chat() (memory.Chat, error) {
	s := p.settings
	if s.Chat.BaseURL == "" || !s.Egress {
		return nil, nil
	}
	return memory.NewChat(s.Chat)
}

// as returns the person's principal, or that of a vendor's assistant that acts for them.
func (in *instance) as(ctx context.Context, vendor string) (loci.Principal, error) {
	if vendor == "" {
		return in.operator, nil
	}
	v, err := loci.ParseVendor(vendor)
	if err != nil {
		return loci.Principal{}, err
	}
	return in.auth.Local(ctx, v)
}

// unusable returns Unavailable if the data directory exists, but this user may not enter it. If a command only reads
// and nothing is in the directory, it also tries to write there: the advice to create memories would not work.
func (s *settings) unusable(absent missing) error {
	if _, err := os.Stat(s.runningDir()); errors.Is(err, fs.ErrPermission) {
		return loci.WrapError(loci.Unavailable, err,
			"cannot open data directory %s: this user may not; choose another with --data-dir", s.DataDir)
	}
	if info, err := os.Stat(s.DataDir); absent == create || err != nil || !info.IsDir() || !hasNoData(s.DataDir) {
		return nil
	}
	f, err := os.CreateTemp(s.DataDir, "loci-*")
	if err != nil {
		return loci.WrapError(loci.Unavailable, err,
			"no memories in %s yet, and this user may not write there; choose another directory with --data-dir", s.DataDir)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func (p *program) openCommand() *cobra.Command {
	var show bool
	cmd := p.acting(operator, &cobra.Command{
		Use:         "open",
		Short:       "Open Loci in the browser, signed in",
		Annotations: does(identity.LinkCreate),
		Long: `Open Loci in the browser with a link that signs you in, once, within 15 minutes.
Without a display, print the link. Other accounts of this machine can see the arguments
of programs, and so the link until the browser has used it; on a shared machine, pass
--print.`,
	}, func(ctx context.Context, c *call) error {
		server := p.signInServer()
		switch {
		case server.URL == "" && p.settings.isPlain():
			return fmt.Errorf("cannot open Loci: %s", p.noPages())
		case server.PID == 0 && p.settings.PublicURL == "":
			return fmt.Errorf("cannot open Loci: %s",
				cmp.Or(p.notRunning(ctx, p.settings.Listen), "the running server has no pages for browsers"))
		}
		token, err := c.app.Identity.NewLink(ctx, c.operator, c.operator.UserID)
		if err != nil {
			return err
		}
		link := signInLink(server.URL, token)
		if !show && !p.json && p.browse(ctx, link) {
			p.note("Opening Loci in your browser. If nothing happens, open this link within 15 minutes:")
		}
		return p.answer(map[string]any{"link": link}, nil, "%s", link)
	})
	cmd.Flags().BoolVar(&show, "print", false, "only print the link")
	return cmd
}

// browse opens an address in the person's browser, if this machine has a display.
func (p *program) browse(ctx context.Context, address string) bool {
	if !p.settings.Display {
		return false
	}
	line := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		line[0] = "open"
	case "windows":
		line = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), line[0], line[1:]...) // it outlives this command
	return cmd.Start() == nil
}

// defaultDataDir returns the platform's place for a user's data, never the working directory. env looks up a variable.
// home is the person's home directory.
func defaultDataDir(goos string, env func(string) string, home string) (string, error) {
	switch goos {
	case "windows":
		if dir := env("LocalAppData"); dir != "" {
			return dir + `\loci`, nil
		}
		return underHome(goos, home, `AppData\Local\loci`)
	case "darwin", "ios":
		return underHome(goos, home, "Library/Application Support/loci")
	}
	// The XDG rules: a relative value is to be ignored.
	if dir := env("XDG_DATA_HOME"); path.IsAbs(dir) {
		return path.Join(dir, "loci"), nil
	}
	return underHome(goos, home, ".local/share/loci")
}

// defaultConfigFile returns the platform's place for the configuration file.
func defaultConfigFile(goos string, env func(string) string, home string) (string, error) {
	switch goos {
	case "windows":
		if dir := env("AppData"); dir != "" {
			return dir + `\loci\config.toml`, nil
		}
		return underHome(goos, home, `AppData\Roaming\loci\config.toml`)
	case "darwin", "ios":
		return underHome(goos, home, "Library/Application Support/loci/config.toml")
	}
	if dir := env("XDG_CONFIG_HOME"); path.IsAbs(dir) {
		return path.Join(dir, "loci", "config.toml"), nil
	}
	return underHome(goos, home, ".config/loci/config.toml")
}

func underHome(goos, home, rest string) (string, error) {
	if home == "" {
		return "", loci.Errorf(loci.Invalid,
			"cannot choose a data directory: the home directory is unknown; pass --data-dir or set LOCI_DATA_DIR")
	}
	separator := "/"
	if goos == "windows" {
		separator = `\`
	}
	return strings.TrimRight(home, separator) + separator + rest, nil
}

func (s *settings) findDataDir(lookup func(string) string) (err error) {
	if s.DataDir == "" {
		s.DataDir, err = defaultDataDir(runtime.GOOS, lookup, s.Home)
		return err
	}
	if found := placeholder.FindString(s.DataDir); found != "" {
		return loci.FieldErrorf(nameOf("data_dir", s.Flags),
			"must be a path, but %q has %s, which nothing has replaced; write the path itself", cut(s.DataDir, 100), found)
	}
	if isUnderHome(s.DataDir) {
		if s.Home == "" {
			return loci.FieldErrorf("data_dir", "begins with ~, but the home directory is unknown")
		}
		s.DataDir = filepath.Join(s.Home, s.DataDir[1:])
	}
	s.DirRelative = !filepath.IsAbs(s.DataDir) && !strings.HasPrefix(filepath.ToSlash(s.DataDir), "./")
	s.DataDir, err = filepath.Abs(s.DataDir)
	return err
}

// placeholder finds what a shell or a client should have replaced in a path.
var placeholder = regexp.MustCompile(`\$\{[^}]*\}|\$\w*|%[^%]+%|\{\{`)

// isUnderHome reports whether a directory begins with ~, which only a shell expands.
func isUnderHome(dir string) bool {
	return dir == "~" || strings.HasPrefix(dir, "~/") || strings.HasPrefix(dir, "~"+string(filepath.Separator))
}
