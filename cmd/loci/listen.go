package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"syscall"

	"github.com/loci-memory/loci"
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
