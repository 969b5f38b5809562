package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/front"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/internal/web"
)

func (p *program) serveCommand() *cobra.Command {
	var compat string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server for assistants (MCP) and programs (REST)",
		Long: `Run the server for assistants (MCP at /mcp) and programs (REST at /api/v1).

The first start prints a link that signs your browser in, once. To connect assistants,
run "loci connect"; it creates a key for each. For a key of your own, run "loci key
create". Ctrl-C stops the server after the current requests; a second Ctrl-C stops it
immediately. With --log-level debug, it logs each request.

On an address that other machines can reach, it starts only if somebody can
authenticate: first create a key (loci key create), or set one (LOCI_API_KEY).`,
		Annotations: does(identity.KeyList, identity.LinkCreate),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := mcpserver.ParseCompat(compat); err != nil {
				return loci.FieldErrorf("--compat", "must be %s", mcpserver.CompatReference)
			}
			return p.serve(cmd.Context(), compat)
		},
	}
	flags := cmd.Flags()
	flags.String("listen", "", "address to listen on (default 127.0.0.1:5624; LOCI_LISTEN)")
	flags.String("public-url", "",
		"address at which people reach this server, such as https://loci.example.org (LOCI_PUBLIC_URL)")
	flags.String("deletion", "", "what deletion requires if an org sets nothing: step_up or api_key (LOCI_DELETION)")
	flags.String("rate-limit", "", "requests of one credential in a minute; 0: no limits (default 600; LOCI_RATE_LIMIT)")
	flags.String("trusted-proxies", "",
		"addresses or networks trusted to report the client's address (LOCI_TRUSTED_PROXIES)")
	flags.String("allowed-hosts", "",
		"further names of this machine in requests, like host.docker.internal (LOCI_ALLOWED_HOSTS)")
	flags.String("allowed-origins", "",
		"browser extensions that may call the API, like chrome-extension://<id> (LOCI_ALLOWED_ORIGINS)")
	flags.String("egress", "", "on or off; off: Loci never sends anything out (LOCI_EGRESS)")
	flags.String("log-format", "", "text or json (LOCI_LOG_FORMAT)")
	mcpSettings(cmd)
	compatFlag(cmd, &compat)
	return cmd
}

func (p *program) serve(ctx context.Context, compat string) (err error) {
	defer ballast()()
	// Listen before creating anything: a start that fails here does not count as the first.
	listeners, err := p.listenLocally(ctx, listenFlag(p.settings.Listen))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll(listeners)) }()
	address := listeners[0].Addr()
	if err := p.refuseNew(address); err != nil {
		return err
	}
	in, err := p.open(ctx, create)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	if err := p.refuseOpen(ctx, in, address); err != nil {
		return err
	}
	if err := in.events.Check(ctx); err != nil {
		return err
	}
	p.clear(ctx)
	p.warn(address)
	first, err := p.isFirst(ctx, in)
	if err != nil {
		return err
	}
	p.processes() // removes the records of killed servers
	this := p.serves(address)
	withdraw, err := p.announce(this)
	if err != nil {
		return err
	}
	defer withdraw()
	if err := p.welcome(ctx, in, address, first); err != nil {
		return err
	}
	o := mcpserver.Options{Compat: compat, SignIn: p.hasBrowsers(address),
		Pages: p.pagesAddress}
	return p.run(ctx, in, listeners, p.handler(in, o, p.pages(in, address), this.Instance))
}

// serves describes the server that listens on an address.
func (p *program) serves(address net.Addr) running {
	return running{URL: cmp.Or(p.settings.PublicURL, localURL(address.String())), Listen: address.String(),
		SignIn: p.hasBrowsers(address), PID: os.Getpid(), Version: readBuildInfo().Version, Started: time.Now().UTC(),
		Instance: rand.Text()}
}

func closeAll(listeners []net.Listener) (err error) {
	for _, l := range listeners {
		err = errors.Join(err, ignoreClosed(l.Close()))
	}
	return err
}

// clear removes the leftovers of interrupted backups and restores. The store is open, so no restore is running.
func (p *program) clear(ctx context.Context) {
	removed, err := p.backups().Clear()
	for _, l := range removed {
		p.log.InfoContext(ctx, "removed what an interrupted backup or restore left behind", "path", l.Path, "bytes", l.Bytes)
	}
	if err != nil {
		p.log.WarnContext(ctx, "cannot remove what an interrupted backup or restore left behind", "error", err)
	}
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// run serves until ctx ends, then finishes the current requests and waits for the maintainer.
func (p *program) run(ctx context.Context, in *instance, listeners []net.Listener, handler http.Handler) error {
	var requests atomic.Uint64
	server := &http.Server{
		Handler:           front.Until(ctx, counted(&requests, handler)),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}

	var upkeep sync.WaitGroup
	upkeepCtx, stopUpkeep := context.WithCancel(ctx)
	upkeep.Go(func() {
		idle := func(ctx context.Context) time.Duration { return in.settings(ctx).Idle }
		maintain.New(maintain.Options{Store: in.store, Log: p.log, Idle: idle}).Run(upkeepCtx)
	})
	for _, x := range in.wordIndexes() {
		upkeep.Go(func() { x.Run(upkeepCtx) })
	}
	upkeep.Go(func() { in.app.Vectors.Run(upkeepCtx) })
	upkeep.Go(func() { p.dreams(upkeepCtx, in) })
	defer keep(ctx, in.events.Run, in.app.Event.Run)()
	upkeep.Go(func() { restIdle(upkeepCtx, &requests, time.Tick(idleFor), giveBack) })
	gone := make(chan error, 1)
	upkeep.Go(func() {
		if err := watch(upkeepCtx, in.store, time.Tick(watchEvery)); err != nil {
			gone <- err
		}
	})
	defer upkeep.Wait()
	defer stopUpkeep()
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { failed <- server.Serve(l) }()
	}
	select {
	case err := <-failed:
		return err
	case err := <-gone:
		p.log.ErrorContext(ctx, "stopping: the data directory is gone; nothing more is stored", "error", err)
		return errors.Join(err, p.stop(ctx, server, failed))
	case <-ctx.Done():
	}
	p.log.InfoContext(ctx, "stopping after the current requests", "at_most", shutdownPatience)
	return p.stop(ctx, server, failed)
}

// stop waits for the current requests, but not too long.
func (p *program) stop(ctx context.Context, server *http.Server, failed <-chan error) error {
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownPatience)
	defer cancel()
	if err := server.Shutdown(patience); err != nil {
		p.log.WarnContext(ctx, "cut off requests that did not end in time", "error", err)
		err = server.Close()
		return errors.Join(err, ignoreClosed(<-failed))
	}
	return ignoreClosed(<-failed)
}

const shutdownPatience = 10 * time.Second

// watchEvery is how often a server checks whether its data directory is still there.
const watchEvery = time.Second

// watch checks at each tick whether the data directory is still there. It returns the reason if
// it is gone, or nil when ctx ends.
func watch(ctx context.Context, st *engine, ticks <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
		}
		if err := st.InPlace(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// handler serves MCP with the options o, REST, and the pages if there are any. /health tells the name of this start.
func (p *program) handler(in *instance, o mcpserver.Options, pages http.Handler, start string) http.Handler {
	s := p.settings
	gate := auth.Gate{Limiter: auth.NewLimiter(auth.LimitOptions{Store: in.store, PerPrincipal: s.RateLimit}),
		Proxies: s.Proxies, Log: p.log}
	o.App, o.Auth, o.Log, o.Version = in.app, in.auth, p.log, readBuildInfo().Version
	o.Toolsets, o.AnswerTokens, o.Site, o.Gate = s.Toolsets, s.Answer, p.site(), gate
	api := rest.New(rest.Options{App: in.app, Auth: in.auth, Log: p.log, Version: o.Version, Instance: start,
		ModelEgress: s.Egress && s.Chat.BaseURL != "" || s.asksModel() || s.sendsTexts(), Gate: gate, Site: p.site()})
	return front.New(front.Options{REST: api, MCP: mcpserver.New(o).HTTP(), Web: pages, Auth: in.auth, Gate: gate,
		Log: p.log, Site: p.site(), AllowedOrigins: s.Origins})
}

// pages returns the pages for browsers, or nil if nobody can sign in with one.
func (p *program) pages(in *instance, address net.Addr) http.Handler {
	if !p.hasBrowsers(address) {
		return nil
	}
	return web.New(web.Options{App: in.app, Auth: in.auth, SignIn: in.signIn, OAuth: in.oauth, Site: p.site(),
		Proxies: p.settings.Proxies,
		Log:     p.log, Version: readBuildInfo().Version})
}

// ballast reserves memory that the collector counts as live, until free is called. The pages are
// never touched, so they use no memory of the machine. A server keeps so little memory
// permanently that the collector would otherwise run after every few requests and take a fifth of
// the time. Unlike a higher GOGC, ballast costs the same however much memory is live.
func ballast() (free func()) {
	room := make([]byte, 16<<20)
	return func() { runtime.KeepAlive(room) }
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil
}

// welcome prints where the server is and what to do next. The first start prints a link that signs the person in. It
// prints no keys: they belong to the clients, and connect creates each when it is needed.
func (p *program) welcome(ctx context.Context, in *instance, address net.Addr, first bool) error {
	link := ""
	if first { // before printing: it writes, and may be interrupted
		var err error
		if link, err = p.firstLink(ctx, in, address); err != nil {
			return err
		}
	}
	reachable := localURL(address.String())
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		p.printf("Loci listens on http://%s\n", p.listening(address))
		p.printf("On this machine, use %s\n", reachable)
	} else {
		p.printf("Loci listens on %s\n", reachable)
	}
	if p.settings.PublicURL != "" {
		p.printf("People reach it at %s\n", p.settings.PublicURL)
	}
	p.printf("Memories are in %s\n", p.settings.where())
	switch {
	case link != "":
		p.printf("Open this link to sign in, once, within 15 minutes: %s\n", link)
	case p.hasBrowsers(address):
		p.printf("Sign in: run %s\n", p.onSameData("loci open"))
	}
	p.printf("Connect your assistants: run %s\n", p.onSameData("loci connect"))
	if first && p.settings.Egress && p.settings.chosenModel() == embed.BuiltIn {
		p.printf("A larger model finds more by meaning: run %s\n", p.onSameData("loci models pull --use"))
	}
	p.printf("%s\n", lastLine)
	return p.unwritten // nobody can use a link that was not printed
}

// lastLine ends what the server prints at its start.
const lastLine = "Stop with Ctrl-C"

// isFirst reports whether no server has run on the data directory, and nobody could sign in or use a key.
func (p *program) isFirst(ctx context.Context, in *instance) (bool, error) {
	if _, err := os.Stat(p.settings.runningDir()); !errors.Is(err, fs.ErrNotExist) || p.bringsCredentials() {
		return false, nil
	}
	for _, kind := range []loci.Kind{loci.KindUser, loci.KindAgent} {
		keys, err := in.app.Identity.Keys(ctx, in.operator, kind)
		if err != nil || len(keys) > 0 {
			return false, err
		}
	}
	return true, nil
}

// firstLink is a sign-in link for the person at this machine. Anyone who reads it can sign in, so there is none if
// other machines can reach the server.
func (p *program) firstLink(ctx context.Context, in *instance, address net.Addr) (string, error) {
	if !isLoopback(address) || !p.hasBrowsers(address) {
		return "", nil
	}
	token, err := in.app.Identity.NewLink(ctx, in.operator, in.operator.UserID)
	if err != nil {
		return "", err
	}
	return signInLink(p.serves(address).URL, token), nil
}

// idleFor is how long a server has had no request when it gives memory back.
const idleFor = 2 * time.Second

func counted(requests *atomic.Uint64, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		h.ServeHTTP(w, r)
	})
}

// giveBack gives the system the memory that it does not need to have: the free memory of the heap, and the
// pages of the program itself, which the system reads again when they are used.
func giveBack() {
	debug.FreeOSMemory()
	forgetProgram()
}

// restIdle calls free at the first tick after which there was no request since the one before, until ctx ends.
// The collector itself keeps as much memory as the start and the busiest time needed.
func restIdle(ctx context.Context, requests *atomic.Uint64, ticks <-chan time.Time, free func()) {
	var i idleness
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		if i.begins(requests.Load()) {
			free()
		}
	}
}

// idleness is what restIdle knows of the time before.
type idleness struct {
	requests uint64
	idle     bool
}

// begins reports whether the server is idle now and was not before. n is how many requests it has had.
func (i *idleness) begins(n uint64) bool {
	before := *i
	*i = idleness{n, n == before.requests}
	return i.idle && !before.idle
}
