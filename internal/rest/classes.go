package rest

import "github.com/loci-memory/loci/internal/auth"

// The classes of routes with a limit of their own, in requests a minute of one credential. Calls that
// only read are in none: they take turns at the processors.
var (
	expensive = auth.Policy{Name: "changes", Limit: 30}   // rights, keys, projects; much at once
	computing = auth.Policy{Name: "computing", Limit: 60} // may take seconds
	exports   = auth.Policy{Name: "export", Limit: 10}
	drawings  = auth.Policy{Name: "drawing", Limit: 60}
	uploads   = auth.Policy{Name: "assets", Limit: 120} // each takes a while and much of the disk
	watching  = auth.Policy{Name: "admin", Limit: 10}
	counting  = auth.Policy{Name: "orgs", Limit: 30}   // look into each org
	heavy     = auth.Policy{Name: "backups", Limit: 5} // read or write everything that the server has
)
