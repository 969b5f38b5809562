package main

import (
	"context"

	"github.com/loci-memory/loci"
)

// examineArcs names the orgs whose events go to Arc, but which have none, and the first one whose Arc key the master
// key does not open, as the start of a server does.
func (d *doctor) examineArcs(ctx context.Context, in *instance) {
	if err := in.events.Check(ctx); err != nil {
		d.fail("arc", "set LOCI_MASTER_KEY to the master key that sealed it", "%s", loci.OneLine(err.Error()))
	}
	err := in.inOrgs(ctx, "", func(who loci.Principal) error {
		o, err := in.app.Org.Show(ctx, in.operator, who.OrgID)
		if err != nil || !d.keepsInArc(o) {
			return err
		}
		_, err = in.app.Org.Arc(ctx, who)
		if loci.CodeOf(err) != loci.NotFound {
			return err
		}
		d.fail("arc", addArc(o.ID), "%s", noArc(o.ID))
		return nil
	})
	if err != nil {
		d.fail("arc", "read the message", "%s", loci.OneLine(err.Error()))
	}
}
