package deployment

import "github.com/loci-memory/loci/internal/gate"

// The actions of this package.
const (
	JobList      gate.Action = "job.list"
	BackupList   gate.Action = "backup.list"
	BackupCreate gate.Action = "backup.create"
	BackupVerify gate.Action = "backup.verify"
)

// Actions defines who may perform each of them.
var Actions = gate.Actions{
	JobList:      {Kinds: gate.Admins, Rights: gate.Admin},
	BackupList:   {Kinds: gate.Admins, Rights: gate.Admin},
	BackupCreate: {Kinds: gate.Admins, Rights: gate.Admin, StepUp: true, Audit: gate.WithChange},
	BackupVerify: {Kinds: gate.Admins, Rights: gate.Admin},
}
