package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/clientfile"
	"github.com/loci-memory/loci/internal/proposed"
)

// running describes a server that runs on the data directory. Its file is in the directory "running", beside a lock
// that the server holds, so that the file of a killed server misleads nobody.
type running struct {
	URL     string    `json:"url"`     // for people and clients
	Listen  string    `json:"listen"`  // where it listens
	SignIn  bool      `json:"sign_in"` // people can sign in with a browser
	PID     int       `json:"pid"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	// Instance is a random name of this start, which the server tells at /health.
	Instance string `json:"instance,omitempty"`
	MCPOnly  bool   `json:"mcp_only,omitempty"` // of loci mcp: no server for people
}

const lockSuffix = ".lock"

func (s *settings) runningDir() string { return filepath.Join(s.DataDir, "running") }

// announce records a server until withdraw is called or the process ends.
func (p *program) announce(r running) (withdraw func(), err error) {
	dir := p.settings.runningDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, fmt.Sprintf("%d-%.8s", r.PID, r.Instance))
	lock := flock.New(name+lockSuffix, flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil || !ok { // before the record exists, so that nobody finds it without a lock
		return nil, errors.Join(err, errors.New("cannot lock "+name+lockSuffix))
	}
	withdraw = func() { _, _ = os.Remove(name+recordSuffix), lock.Close(); _ = os.Remove(name + lockSuffix) }
	text, err := json.Marshal(r)
	if err == nil {
		err = clientfile.WritePrivate(name+recordSuffix, append(text, '\n'))
	}
	if err != nil {
		withdraw()
		return nil, err
	}
	return withdraw, nil
}

// servers returns the servers that run on the data directory, the newest first.
func (p *program) servers() []running {
	return slices.DeleteFunc(p.processes(), func(r running) bool { return r.MCPOnly })
}

// processes returns the servers and the processes that serve only MCP over HTTP, the newest first. It removes what
// killed ones left behind.
func (p *program) processes() []running {
	names, err := filepath.Glob(filepath.Join(p.settings.runningDir(), "*"+recordSuffix))
	if err != nil {
		return nil
	}
	var out []running
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has just stopped
		}
		var r running
		if isLocked(strings.TrimSuffix(name, recordSuffix)+lockSuffix) && json.Unmarshal(text, &r) == nil {
			out = append(out, r)
		} else {
			_, _ = os.Remove(name), os.Remove(strings.TrimSuffix(name, recordSuffix)+lockSuffix)
		}
	}
	slices.SortFunc(out, func(a, b running) int { return b.Started.Compare(a.Started) })
	return out
}

func isLocked(name string) bool {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	lock := flock.New(name)
	defer lock.Close()
	ok, err := lock.TryRLock()
	return err == nil && !ok
}

// server returns the server that people and clients of this data directory use: the one at the configured address or
// the newest that runs. If the command line sets an address, or none runs, it is what the settings describe, and then
// PID is 0 unless it runs. URL is "" if the settings do not tell.
func (p *program) server() running {
	if r, ok := p.preferred(p.servers()); ok {
		return r
	}
	return p.configured()
}

// signInServer is server for links in a browser. URL is "" if no one can sign in.
func (p *program) signInServer() running {
	all := p.servers()
	if r, ok := p.preferred(slices.DeleteFunc(slices.Clone(all), func(r running) bool { return !r.SignIn })); ok {
		return r
	}
	if r := p.configured(); r.SignIn && (len(all) == 0 || p.settings.Asked) {
		return r
	}
	return running{}
}

// preferred returns that of the running servers, newest first, which is at the configured address, or the newest unless
// the command line sets an address.
func (p *program) preferred(list []running) (running, bool) {
	configured := p.configured().URL
	if i := slices.IndexFunc(list, func(r running) bool { return r.URL == configured }); i >= 0 {
		return list[i], true
	}
	if len(list) > 0 && !p.settings.Asked {
		return list[0], true
	}
	return running{}, false
}

// pagesAddress returns the address of the pages that people open, or "" if no server with pages runs.
func (p *program) pagesAddress() string {
	if r := p.signInServer(); r.PID != 0 || p.settings.PublicURL != "" {
		return r.URL
	}
	return ""
}

// configured returns what the settings tell about a server that does not run.
func (p *program) configured() running {
	s := p.settings
	host, port, err := net.SplitHostPort(s.Listen)
	r := running{URL: s.PublicURL, Listen: s.Listen, SignIn: s.hasBrowsers(auth.IsLoopback(host))}
	if r.URL == "" && err == nil && port != "0" {
		r.URL = localURL(s.Listen)
	}
	return r
}

// localURL returns the address of a listener for programs on this machine. Its host is localhost if that leads to the
// listener: passkeys need a name, and one name for all makes cookies, links and OAuth agree.
func localURL(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && (ip.IsUnspecified() || isLocalhost(ip))) {
		listen = net.JoinHostPort("localhost", port)
	}
	return "http://" + listen
}

// isLocalhost reports whether an address is one that the name localhost stands for.
func isLocalhost(ip net.IP) bool {
	return ip.Equal(net.IPv4(127, 0, 0, 1)) || ip.Equal(net.IPv6loopback)
}

// noteNotRunning notes that the server does not run, if so.
func (p *program) noteNotRunning(ctx context.Context, r running) {
	if r.PID != 0 || p.settings.PublicURL != "" {
		return
	}
	if text := p.notRunning(ctx, r.Listen); text != "" {
		p.note("%s", strings.ToUpper(text[:1])+text[1:])
	}
}

// onSameData completes the commands that a message proposes: pasted, they work on the data directory of this command,
// with its configuration file, and by "go run" if that started it. Notes, errors, findings and warnings go through
// here; what a command prints as its result must call it.
func (p *program) onSameData(text string) string {
	var flags []proposed.Flag
	if p.settings != nil && p.settings.DirAsked {
		flags = append(flags, proposed.Flag{Name: "--data-dir", Value: p.settings.DataDir})
	}
	if p.settings != nil && p.settings.FileAsked {
		file, _ := filepath.Abs(p.settings.FromFile) // fails only without a working directory
		flags = append(flags, proposed.Flag{Name: "--config", Value: file})
	}
	return proposed.Complete(text, p.called, func(words []string) bool {
		cmd, rest, err := p.commands.Find(words)
		return err == nil && cmd != p.commands && len(rest) == 0
	}, flags)
}

// serveLine is the command that starts the server on the data directory of this command: at the configured address, or
// beside the program that uses it.
func (p *program) serveLine(ctx context.Context) string {
	if isTaken(ctx, p.settings.Listen) {
		return p.serveLineBeside(p.settings.Listen)
	}
	return p.serveLineAt(p.settings.Listen)
}

func (p *program) serveLineAt(listen string) string {
	line := p.onSameData("loci serve")
	if listen != defaultListen {
		line += " --listen " + listen
	}
	return line
}

// answerer is what answers at an address of this machine.
type answerer int

const (
	noLoci    answerer = iota // nothing, or another program
	thisLoci                  // a server of this data directory
	otherLoci                 // a server of another one, which knows none of the keys of this one
)

// answerTime is how long a server may take to say who it is. A busy machine needs more than a second.
const answerTime = 5 * time.Second

// answererAt finds out what answers at an address. A server tells a random name of its start, which only those who can
// read its data directory can recognise.
func (p *program) answererAt(ctx context.Context, address string) answerer {
	health, ok := askHealth(ctx, address)
	if !ok {
		return noLoci
	}
	if slices.ContainsFunc(p.processes(), func(r running) bool {
		return r.Listen == address || r.Instance != "" && r.Instance == health.Instance
	}) {
		return thisLoci
	}
	return otherLoci
}

// askHealth returns the health of the Loci server at an address, or false if there is none.
func askHealth(ctx context.Context, address string) (health wire.Health, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
	if err != nil {
		return health, false
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return health, false
	}
	defer answer.Body.Close()
	err = json.NewDecoder(io.LimitReader(answer.Body, 4096)).Decode(&health)
	return health, err == nil && answer.StatusCode == http.StatusOK && health.Service == "loci"
}

// answersAs tells which program uses an address, if it is not a server of this data directory.
func (p *program) answersAs(ctx context.Context, address string) string {
	if p.answererAt(ctx, address) == otherLoci {
		return " by another loci, with another data directory than " + p.settings.DataDir
	}
	return " by another program"
}

// whatAnswers describes the server of another data directory at an address.
func (p *program) whatAnswers(address string) string {
	return "the Loci that answers at " + localURL(address) + " uses another data directory than this command, " +
		p.settings.DataDir
}

// usesAddress describes the program that keeps a server of this data directory from an address, and what the person can
// do. It returns "" if there is none.
func (p *program) usesAddress(ctx context.Context, address string) (what, wayOut string) {
	switch p.answererAt(ctx, address) {
	case otherLoci:
		return p.whatAnswers(address) + ", and would reject the keys of this one", p.besideOther(address)
	case noLoci:
		if isTaken(ctx, address) {
			return "another program uses " + address, "stop that program, or start Loci beside it and connect again: " +
				p.serveLineBeside(address)
		}
	case thisLoci:
	}
	return "", ""
}

// isTaken reports whether a program listens on an address of this machine.
func isTaken(ctx context.Context, address string) bool {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err == nil {
		_ = l.Close()
	}
	return isInUse(err)
}

// besideOther tells what to do about the server of another data directory at an address.
func (p *program) besideOther(address string) string {
	return "to use that Loci, pass its --data-dir; to use this data directory, stop that Loci, or run: " +
		p.serveLineBeside(address)
}

// serveLineBeside is the command that starts the server of this data directory beside what uses an address.
func (p *program) serveLineBeside(address string) string {
	if host, port, err := net.SplitHostPort(address); err == nil {
		address = net.JoinHostPort(host, nextPort(port))
	}
	return p.serveLineAt(address)
}

// notRunning tells that no server of this data directory answers at an address, and what to do; "": one does.
func (p *program) notRunning(ctx context.Context, address string) string {
	switch p.answererAt(ctx, address) {
	case thisLoci:
		return ""
	case otherLoci:
		return p.whatAnswers(address) + "; " + p.besideOther(address)
	case noLoci:
	}
	return "the server is not running; start it with: " + p.serveLine(ctx)
}
