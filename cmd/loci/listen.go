package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

func listenFlag(address string) func(port string) string {
	return func(port string) string {
		host, _, _ := net.SplitHostPort(address) // parsed before
		return "--listen " + net.JoinHostPort(host, port)
	}
}

// listenLocally listens on the configured address. If the name localhost stands for it, it listens on the other
// address of that name, too: some programs try only one of the two, and no other program of this machine must answer
// there in Loci's place. The configured address is the first.
func (p *program) listenLocally(ctx context.Context, another func(port string) string) ([]net.Listener, error) {
	const attempts = 10 // to find a port that is free on both addresses
	for attempt := 1; ; attempt++ {
		first, err := p.listen(ctx, p.settings.Listen, another)
		if err != nil {
			return nil, err
		}
		address, ok := first.Addr().(*net.TCPAddr)
		if !ok || !isLocalhost(address.IP) {
			return []net.Listener{first}, nil
		}
		other := net.IPv6loopback
		if address.IP.To4() == nil {
			other = net.IPv4(127, 0, 0, 1)
		}
		second, err := p.listen(ctx, (&net.TCPAddr{IP: other, Port: address.Port}).String(), another)
		switch {
		case err == nil:
			return []net.Listener{first, second}, nil
		case !isInUse(err): // this machine has no such address
			return []net.Listener{first}, nil
		case !strings.HasSuffix(p.settings.Listen, ":0") || attempt == attempts:
			return nil, errors.Join(err, first.Close())
		}
		if err := first.Close(); err != nil {
			return nil, err
		}
	}
}

// listen listens on an address. another is the flag that chooses another port.
func (p *program) listen(ctx context.Context, address string, another func(port string) string) (net.Listener,
	error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(ctx, "tcp", port) // below 65536, or a name
	}
	if err != nil {
		return nil, loci.FieldErrorf(nameOf("listen", p.settings.Flags),
			"must be host:port, like 127.0.0.1:5624, with a port up to 65535, not %q",
			cut(address, 60))
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		return listener, nil
	case isInUse(err) && p.answererAt(ctx, address) == thisLoci:
		return nil, loci.Errorf(loci.Conflict,
			"cannot listen on %s port %s: it is in use by another loci, with this data directory: clients can use that one, "+
				"at %s; to run a second one beside it, choose another address, such as %s",
			host, port, localURL(address), another(nextPort(port)))
	case isInUse(err):
		return nil, loci.Errorf(loci.Conflict,
			"cannot listen on %s port %s: it is in use%s; choose another one, such as %s, or find the program with: %s",
			host, port, p.answersAs(ctx, address), another(nextPort(port)), whoHas(port))
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("cannot listen on port %s: this user may not; choose one above 1023, such as %s", port,
			another("5624"))
	}
	return nil, fmt.Errorf("cannot listen on %s: %w; pass --listen host:port, like 127.0.0.1:5624", address, err)
}

// isInUse checks the errno of Unix and of Windows (WSAEADDRINUSE), which the syscall package does not map.
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

func isLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// listening returns the address of the server as the operator wrote it, such as 0.0.0.0, even if
// the system reports [::].
func (p *program) listening(address net.Addr) string {
	host, _, err := net.SplitHostPort(p.settings.Listen)
	tcp, ok := address.(*net.TCPAddr)
	if err != nil || host == "" || !ok || !tcp.IP.IsUnspecified() {
		return address.String()
	}
	return net.JoinHostPort(host, strconv.Itoa(tcp.Port))
}

func isLoopbackURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && auth.IsLoopback(u.Hostname())
}

// howToTLS tells an operator how to serve other machines safely.
const howToTLS = "For TLS, put a reverse proxy in front, such as Caddy with two lines " +
	"(loci.example.org { / reverse_proxy 127.0.0.1:5624 }), set LOCI_PUBLIC_URL=https://loci.example.org, and set " +
	"LOCI_TRUSTED_PROXIES to the proxy's address"

// refuseNew is refuseOpen for a missing data directory, so that a rejected start creates nothing.
func (p *program) refuseNew(address net.Addr) error {
	if isLoopback(address) || p.bringsCredentials() || !hasNoData(p.settings.DataDir) {
		return nil
	}
	return p.nobodyCould(address)
}

// refuseOpen returns Forbidden if other machines can reach the address but nobody can authenticate.
func (p *program) refuseOpen(ctx context.Context, in *instance, address net.Addr) error {
	if isLoopback(address) || p.bringsCredentials() {
		return nil
	}
	any, err := in.store.Credentials().Any(ctx, loci.CutTime(time.Now()))
	if err != nil || any {
		return err
	}
	return p.nobodyCould(address)
}

// bringsCredentials reports whether the settings alone let somebody authenticate.
func (p *program) bringsCredentials() bool {
	s := p.settings
	return s.OwnerKey != "" || len(s.AgentKeys) > 0 || s.Dashboard.ServiceKey != "" || len(s.OIDC) > 0 && s.Egress &&
		s.hasTLS()
}

func (p *program) nobodyCould(address net.Addr) error {
	return loci.Errorf(loci.Forbidden, "cannot serve on %s: other machines can reach it, but nobody could authenticate. "+
		"First create a key (loci key create --name NAME, or loci agent-key create --vendor VENDOR --name NAME; for other "+
		"people, loci user create --email EMAIL, then a key with --user), or set LOCI_API_KEY, or start once with "+
		"--listen 127.0.0.1:5624. %s", p.listening(address), howToTLS)
}

// hasTLS reports whether people reach the server over TLS, through a proxy.
func (s *settings) hasTLS() bool { return strings.HasPrefix(s.PublicURL, "https://") }

// isPlain reports whether people reach the server over a network without TLS.
func (s *settings) isPlain() bool {
	return s.PublicURL != "" && !s.hasTLS() && !isLoopbackURL(s.PublicURL)
}

// hasBrowsers reports whether people can sign in with a browser, which must not send its cookie unencrypted. loopback
// means that the server listens on this machine only.
func (s *settings) hasBrowsers(loopback bool) bool { return s.hasTLS() || loopback && !s.isPlain() }

func (p *program) hasBrowsers(address net.Addr) bool {
	return p.settings.hasBrowsers(isLoopback(address))
}

// warn logs what the operator should know before the first request.
func (p *program) warn(address net.Addr) {
	if !p.hasBrowsers(address) && !p.settings.isPlain() { // the warnings tell the latter
		p.log.Warn("serving other machines without TLS: keys and memories are unencrypted on the network, and browsers "+
			"cannot sign in. "+howToTLS, "address", p.listening(address))
	}
	for _, text := range p.settings.warnings() {
		p.log.Warn(text)
	}
}
