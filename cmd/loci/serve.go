package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/front"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/internal/web"
)

func (p *program) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server for assistants (MCP) and programs (REST)",
		Long: `Run the server for assistants (MCP at /mcp) and programs (REST at /api/v1).

The first start on an empty data directory prints, once, your key, a key for each of
` + clientLabels() + ` with the line that connects it, and a link that signs
your browser in. Ctrl-C stops the server after the current requests; a second Ctrl-C
stops it immediately.

On an address that other machines can reach, it starts only if somebody can
authenticate: first create a key (loci key create), or set one (LOCI_API_KEY).`,
		Annotations: does(identity.KeyCreate, identity.KeyList, identity.LinkCreate),
		RunE:        func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.String("listen", "", "address to listen on (default 127.0.0.1:5624; LOCI_LISTEN)")
	flags.String("public-url", "",
		"address at which people reach this server, such as https://loci.example.org (LOCI_PUBLIC_URL)")
	flags.String("deletion", "", "what deletion requires if an org sets nothing: step_up or api_key (LOCI_DELETION)")
	flags.String("rate-limit", "", "requests of one credential in a minute; 0: no limits (default 600; LOCI_RATE_LIMIT)")
	flags.String("trusted-proxies", "",
		"addresses or networks trusted to report the client's address (LOCI_TRUSTED_PROXIES)")
	flags.String("allowed-origins", "",
		"browser extensions that may call the API, like chrome-extension://<id> (LOCI_ALLOWED_ORIGINS)")
	flags.String("egress", "", "on or off; off: Loci never sends anything out (LOCI_EGRESS)")
	flags.String("log-format", "", "text or json (LOCI_LOG_FORMAT)")
	toolsetsFlag(cmd)
	return cmd
}

func (p *program) serve(ctx context.Context) (err error) {
	// Listen before creating anything: a start that fails here does not count as the first.
	listener, err := p.listen(ctx, listenFlag(p.settings.Listen))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ignoreClosed(listener.Close())) }()
	if err := p.refuseNew(listener.Addr()); err != nil {
		return err
	}
	in, err := p.open(ctx, create)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.store.Close()) }()
	if err := p.refuseOpen(ctx, in, listener.Addr()); err != nil {
		return err
	}
	p.clear(ctx)
	p.warn(listener.Addr())
	if err := p.welcome(ctx, in, listener.Addr()); err != nil {
		return err
	}
	o := mcpserver.Options{PublicURL: p.settings.PublicURL, SignIn: p.hasBrowsers(listener.Addr())}
	return p.run(ctx, in, listener, p.handler(in, o, p.pages(in, listener.Addr())))
}

// clear removes the leftovers of interrupted backups and restores. The store is open, so no
// restore is running.
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
func (p *program) run(ctx context.Context, in *instance, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           front.Until(ctx, handler),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	defer ballast()()
	var upkeep sync.WaitGroup
	upkeepCtx, stopUpkeep := context.WithCancel(ctx)
	upkeep.Go(func() { maintain.New(maintain.Options{Store: in.store, Log: p.log}).Run(upkeepCtx) })
	gone := make(chan error, 1)
	upkeep.Go(func() {
		if err := watch(upkeepCtx, in.store, time.Tick(watchEvery)); err != nil {
			gone <- err
		}
	})
	defer upkeep.Wait()
	defer stopUpkeep()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case err := <-gone:
		p.log.ErrorContext(ctx, "stopping: the data directory is gone; nothing more is stored", "error", err)
		return errors.Join(err, p.stop(ctx, server, failed))
	case <-ctx.Done():
	}
	p.log.InfoContext(ctx, "stopping after the current requests")
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

// handler serves MCP with the options o, REST, and the pages if there are any.
func (p *program) handler(in *instance, o mcpserver.Options, pages http.Handler) http.Handler {
	s := p.settings
	gate := auth.Gate{Limiter: auth.NewLimiter(auth.LimitOptions{Store: in.store, PerPrincipal: s.RateLimit}),
		Proxies: s.Proxies, Log: p.log}
	o.App, o.Auth, o.Log, o.Version = in.app, in.auth, p.log, readBuildInfo().Version
	o.Toolsets, o.Site, o.Gate = s.Toolsets, p.site(), gate
	api := rest.New(rest.Options{App: in.app, Auth: in.auth, Log: p.log, Version: o.Version, PublicURL: s.PublicURL,
		ModelEgress: s.Egress && s.Chat.BaseURL != "", Gate: gate, Site: p.site()})
	return front.New(front.Options{REST: api, MCP: mcpserver.New(o).HTTP(), Web: pages, Auth: in.auth, Gate: gate,
		Log:       p.log,
		PublicURL: s.PublicURL, AllowedOrigins: s.Origins})
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

// listenFlag is the flag that chooses another port for an address.
func listenFlag(address string) func(port string) string {
	return func(port string) string {
		host, _, _ := net.SplitHostPort(address) // parsed before
		return "--listen " + net.JoinHostPort(host, port)
	}
}

// listen listens on the configured address. another is the flag that chooses another port.
func (p *program) listen(ctx context.Context, another func(port string) string) (net.Listener, error) {
	address := p.settings.Listen
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, loci.FieldErrorf("listen (LOCI_LISTEN)", "must be host:port, like 127.0.0.1:5624, not %q",
			cut(address, 60))
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		return listener, nil
	case isInUse(err):
		return nil,
			fmt.Errorf("cannot listen on %s port %s: it is in use%s; choose another one, such as %s, or find the program "+
				"with: %s",
				host, port, p.answersAs(ctx, address), another(nextPort(port)), whoHas(port))
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("cannot listen on port %s: this user may not; choose one above 1023, such as %s", port,
			another("5624"))
	}
	return nil, fmt.Errorf("cannot listen on %s: %w; pass --listen host:port, like 127.0.0.1:5624", address, err)
}

// isInUse checks the errno of Unix and of Windows (WSAEADDRINUSE), which the syscall package does
// not map.
func isInUse(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.Errno(10048))
}

func nextPort(port string) string {
	n, err := net.LookupPort("tcp", port)
	if err != nil || n >= 65535 {
		return "5624"
	}
	return fmt.Sprint(n + 1)
}

func whoHas(port string) string {
	switch runtime.GOOS {
	case "windows":
		return "netstat -ano | findstr :" + port
	case "linux":
		return "ss -ltnp sport = :" + port
	}
	return "lsof -nP -iTCP:" + port
}

// answersAs tells whether the other program is a Loci server.
func (p *program) answersAs(ctx context.Context, address string) string {
	if isLoci(ctx, address) {
		return " by another loci"
	}
	return " by another program"
}

// isLoci reports whether a Loci server answers at an address on this machine.
func isLoci(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	return err == nil && answer.StatusCode == http.StatusOK && strings.Contains(strings.ToLower(string(body)), "loci")
}

// reachable returns the address for a client on this machine, or the public one if there is one.
func (p *program) reachable(address string) string {
	if p.settings.PublicURL != "" {
		return p.settings.PublicURL
	}
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + address
}

// ballast reserves memory that the collector counts as live, until free is called. The pages are
// never touched, so they use no memory of the machine. A server keeps so little memory
// permanently that the collector would otherwise run after every few requests and take a fifth of
// the time. Unlike a higher GOGC, ballast costs the same however much memory is live.
func ballast() (free func()) {
	room := make([]byte, 16<<20)
	return func() { runtime.KeepAlive(room) }
}
