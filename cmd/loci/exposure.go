package main

import (
	"context"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

func isLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// listening is where the server listens, as the operator wrote it: 0.0.0.0, say,
// where the system answers [::].
func (p *program) listening(address net.Addr) string {
	host, _, err := net.SplitHostPort(p.settings.Listen)
	tcp, ok := address.(*net.TCPAddr)
	if err != nil || host == "" || !ok || !tcp.IP.IsUnspecified() {
		return address.String()
	}
	return net.JoinHostPort(host, strconv.Itoa(tcp.Port))
}

// isLoopbackHost knows the names and addresses of this machine alone.
func isLoopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func isLoopbackURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isLoopbackHost(u.Hostname())
}

// howToTLS is what an operator needs to hear who listens beyond this machine.
const howToTLS = "For TLS put a reverse proxy in front, such as Caddy with two lines (loci.example.org { / reverse_proxy 127.0.0.1:5624 }), " +
	"and set LOCI_PUBLIC_URL=https://loci.example.org and LOCI_TRUSTED_PROXIES to the proxy's address"

// refuseNew is refuseOpen for a data directory that is not there yet, so that
// a start that is refused creates nothing.
func (p *program) refuseNew(address net.Addr) error {
	if isLoopback(address) || p.bringsCredentials() || !sqlite.IsNew(p.settings.DataDir) {
		return nil
	}
	return nobodyCould(p.listening(address))
}

// refuseOpen returns Forbidden on an address that other machines reach if
// nobody could authenticate there.
func (p *program) refuseOpen(ctx context.Context, in *instance, address net.Addr) error {
	if isLoopback(address) || p.bringsCredentials() {
		return nil
	}
	any, err := in.store.Credentials().Any(ctx, loci.CutTime(time.Now()))
	if err != nil || any {
		return err
	}
	return nobodyCould(p.listening(address))
}

// bringsCredentials reports whether the settings let somebody authenticate.
func (p *program) bringsCredentials() bool {
	s := p.settings
	return s.OwnerKey != "" || len(s.AgentKeys) > 0 || s.Dashboard.ServiceKey != "" || len(s.OIDC) > 0 && s.Egress && s.hasTLS()
}

func nobodyCould(address string) error {
	return loci.Errorf(loci.Forbidden, "%s can be reached from other machines, and nobody could authenticate there. Make a key first: loci key create --name NAME, or "+
		"loci agent-key create --vendor VENDOR --name NAME (for other people loci user create, then a key with --user); or set LOCI_API_KEY; or start once on this machine alone, "+
		"with --listen 127.0.0.1:5624. %s", address, howToTLS)
}

// hasTLS reports whether people reach the server over TLS, by a proxy.
func (s *settings) hasTLS() bool { return strings.HasPrefix(s.PublicURL, "https://") }

// hasBrowsers reports whether people can sign in by a browser: their cookie
// must not travel in the clear.
func (p *program) hasBrowsers(address net.Addr) bool {
	return isLoopback(address) || p.settings.hasTLS()
}

// warn says what the operator should know before the first request.
func (p *program) warn(address net.Addr) {
	if !p.hasBrowsers(address) {
		p.log.Warn("listening beyond this machine without TLS: keys and memories travel in the clear, and signing in by a browser is off. "+howToTLS, "address", p.listening(address))
	}
	for _, text := range p.settings.warnings() {
		p.log.Warn(text)
	}
}
