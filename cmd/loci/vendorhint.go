package main

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// namedVendor is a vendor that a flag of the command line names.
type namedVendor struct {
	flag   string
	vendor loci.Vendor
}

// vendorsIn returns the vendors that --as, --allow and --origin name. The command itself rejects those that are no
// names.
func vendorsIn(flags *pflag.FlagSet) (named []namedVendor) {
	for _, flag := range []string{"as", "allow", "origin"} {
		f := flags.Lookup(flag)
		if f == nil || !f.Changed {
			continue
		}
		names := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			names = list.GetSlice()
		}
		for _, name := range names {
			v, err := loci.ParseVendor(name)
			if people := flag == "origin" && auth.CheckVendor(v) != nil; err == nil && !people {
				named = append(named, namedVendor{"--" + flag, v})
			}
		}
	}
	return named
}

// noteVendors notes the vendors of the command line that neither Loci nor any assistant's key knows. Commands take
// them, but a misspelled one finds nothing, or hides the memory from the assistant that was meant.
func (p *program) noteVendors(ctx context.Context, in *instance) error {
	known := []string{string(loci.LocalVendor)}
	for _, v := range loci.Vendors {
		known = append(known, string(v.Name))
	}
	for v := range p.settings.AgentKeys {
		known = append(known, string(v))
	}
	isKnown := func(n namedVendor) bool { return slices.Contains(known, string(n.vendor)) }
	unknown := slices.DeleteFunc(p.vendors, isKnown)
	p.vendors = nil // once is enough, even if the command opens the directory again
	if len(unknown) == 0 {
		return nil
	}
	var connected status
	err := in.inOrgs(ctx, "", func(who loci.Principal) error { return in.addClients(ctx, who, &connected) })
	if err != nil {
		return err
	}
	for _, c := range connected.Clients {
		known = append(known, string(c.Vendor))
	}
	for _, n := range slices.DeleteFunc(unknown, isKnown) {
		p.note("note: %s: no assistant is known as %s%s", n.flag, quoted(string(n.vendor)), vendorMeant(n.vendor, known))
	}
	return nil
}

// vendorMeant proposes the vendor whose client has that name, or else the nearest known vendor.
func vendorMeant(v loci.Vendor, known []string) string {
	for _, c := range clients {
		if c.id == string(v) {
			return "; the vendor of " + c.name + " is " + string(c.vendor)
		}
	}
	return didYouMean(string(v), known)
}
