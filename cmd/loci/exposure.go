package main

import (
	"context"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

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

func isLoopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func isLoopbackURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isLoopbackHost(u.Hostname())
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
