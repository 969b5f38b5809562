package main

import (
	"context"

	"github.com/loci-memory/loci"
)

// examineJobs names the jobs of servers whose last turn failed.
func (d *doctor) examineJobs(ctx context.Context, in *instance) {
	list, err := in.app.Deployment.Jobs(ctx, in.operator)
	if err != nil {
		d.fail("jobs", d.remedy(err), "%s", loci.OneLine(err.Error()))
		return
	}
	for _, j := range list {
		if j.Error != "" {
			d.warn("jobs", "look in the log of the server for the reason", "%s failed at %s: %s", j.Name,
				d.showTime(j.EndedAt), loci.OneLine(j.Error))
		}
	}
}
