package deployment

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// The actions of this package.
var (
	JobList      = Actions.Add("job.list", gate.Admins, gate.Admin, 0)
	BackupList   = Actions.Add("backup.list", gate.Admins, gate.Admin, 0)
	BackupCreate = Actions.Add("backup.create", gate.Admins, gate.Admin, gate.WithChange|gate.StepUp)
	BackupVerify = Actions.Add("backup.verify", gate.Admins, gate.Admin, 0)
)
