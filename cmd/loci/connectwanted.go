package main

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/clientfile"
	"github.com/loci-memory/loci/internal/mcpserver"
)

// wanted is how a client should reach Loci, and what it is offered there.
type wanted struct {
	stdio bool
	base  string // the address of the server; "": the running one
	offer clientfile.Offer
}

// wanted returns what the flags of connect choose for a client. What they leave out stays as in the client's entry of
// this data directory.
func (p *program) wanted(ctx context.Context, in *instance, c *client, o *connecting) (wanted, error) {
	keys, err := in.agentKeys(ctx)
	if err != nil {
		return wanted{}, err
	}
	return p.wantedWith(c, keys, o)
}

func (p *program) wantedWith(c *client, keys []loci.Credential, o *connecting) (w wanted, err error) {
	w.stdio = c.stdio || o.stdio
	if !c.stdio && !o.given("stdio") {
		w.stdio = o.replace && !p.settings.Asked
	}
	if !o.show && p.settings.Home != "" {
		err = p.keep(c, keys, o, &w)
	}
	if o.given("toolsets") {
		w.offer.Toolsets, w.offer.Compat = strings.Join(o.toolsets, ","), ""
	}
	if o.given("project") {
		w.offer.Project = o.project
	}
	return w, err
}

// keep takes what the flags leave out from the client's entry, if it is Loci's own.
func (p *program) keep(c *client, keys []loci.Credential, o *connecting, w *wanted) error {
	file, err := c.readFile(c.file(p.settings))
	if err != nil {
		return err
	}
	n, err := p.connection(c)
	if err != nil {
		return err
	}
	own := p.ownEntry(c, n, keys, file)
	if own == nil {
		return nil
	}
	var address string
	w.offer, address = clientfile.Offered(own.value)
	if w.offer.Toolsets != "" && !o.given("toolsets") { // a person may have edited the entry
		sets, err := mcpserver.ParseToolsets(w.offer.Toolsets)
		if err != nil {
			return loci.WrapError(loci.Invalid, err, "cannot keep the toolsets of %s in %s: %s; pass --toolsets", c.name,
				file.Name, err)
		}
		w.offer.Toolsets = strings.Join(sets, ",")
	}
	if !c.stdio && !o.given("stdio") && !p.settings.Asked {
		w.stdio = address == ""
	}
	if base := clientfile.BaseOf(address); base != "" && p.keepsAddress(base) {
		w.base = base
	}
	return nil
}

// keepsAddress reports whether connect leaves the address of a client's server, because neither a flag, nor the
// settings, nor the running server tell another one for all machines, and a server may be there.
func (p *program) keepsAddress(base string) bool {
	server := p.server().URL
	return !p.settings.Asked && p.settings.PublicURL == "" && (server == "" || isLoopbackURL(server)) && p.mayAnswer(base)
}

// mayAnswer reports whether a server may be at an address: another machine's, or one of this machine where it runs.
func (p *program) mayAnswer(base string) bool { return !isLoopbackURL(base) || p.runsAt(base) }

// runsAt reports whether a process that runs on the data directory has this address.
func (p *program) runsAt(base string) bool {
	address, err := url.Parse(base)
	return err == nil && slices.ContainsFunc(p.processes(), func(r running) bool {
		return r.URL == base || localURL(r.Listen) == localURL(address.Host)
	})
}
