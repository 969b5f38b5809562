package identity

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
)

// The actions of this package.
const (
	WhoAmI        gate.Action = "whoami"
	AccountChange gate.Action = "account.change"
	AccountDelete gate.Action = "account.delete"
	SignInRead    gate.Action = "sign_in.read"
	SignInChange  gate.Action = "sign_in.change"
	SignInList    gate.Action = "sign_in.list"
	SignInEnd     gate.Action = "sign_in.end"
	KeyList       gate.Action = "key.list"
	KeyCreate     gate.Action = "key.create"
	KeyRotate     gate.Action = "key.rotate"
	KeyRevoke     gate.Action = "key.revoke"
	KeyListAll    gate.Action = "key.list_all"
	GrantConsent  gate.Action = "grant.consent"
	GrantList     gate.Action = "grant.list"
	GrantListAll  gate.Action = "grant.list_all"
	GrantRevoke   gate.Action = "grant.revoke"
	AdminRead     gate.Action = "admin.read"
	UserRole      gate.Action = "user.role"
	UserSet       gate.Action = "user.set"
	UserReset     gate.Action = "user.reset"
	LinkCreate    gate.Action = "link.create"
	AuditRead     gate.Action = "audit.read"
	AuditReadOrg  gate.Action = "audit.read_org"
	AuditReadAll  gate.Action = "audit.read_all"
	ClientList    gate.Action = "oauth_client.list"
	ClientSet     gate.Action = "oauth_client.set"
	ClientDrop    gate.Action = "oauth_client.delete"
)

// Actions defines who may perform each of them.
var Actions = gate.Actions{
	WhoAmI:        {Kinds: gate.Everyone},
	AccountChange: {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	AccountDelete: {Kinds: gate.People, Rights: gate.Account, StepUp: true, Audit: gate.WithChange},
	SignInRead:    {Kinds: gate.People, Rights: gate.Account},
	SignInChange:  {Kinds: gate.People, Rights: gate.Account, StepUp: true, Audit: gate.WithChange},
	SignInList:    {Kinds: gate.People, Rights: gate.Account},
	SignInEnd:     {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	KeyList:       {Kinds: gate.People, Rights: gate.Account},
	KeyCreate:     {Kinds: gate.People, Rights: gate.Account, StepUp: true, Audit: gate.WithChange},
	KeyRotate:     {Kinds: gate.People, Rights: gate.Account, StepUp: true, Audit: gate.WithChange},
	KeyRevoke:     {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	KeyListAll:    {Kinds: gate.Operator},
	GrantConsent:  {Kinds: gate.People, Rights: gate.Account, Browser: true, Audit: gate.WithChange},
	GrantList:     {Kinds: gate.People, Rights: gate.Account},
	GrantListAll:  {Kinds: gate.Operator},
	GrantRevoke:   {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	AdminRead:     {Kinds: gate.Admins, Rights: gate.Admin},
	UserRole:      {Kinds: gate.Operator, Audit: gate.WithChange},
	UserSet:       {Kinds: gate.Operator, Audit: gate.WithChange},
	UserReset:     {Kinds: gate.Operator, Audit: gate.WithChange},
	LinkCreate:    {Kinds: gate.Operator, Audit: gate.WithChange},
	// AuditRead shows people what they did. AuditReadOrg adds who administered the org.
	AuditRead:    {Kinds: gate.People, Rights: gate.Account},
	AuditReadOrg: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin},
	AuditReadAll: {Kinds: gate.Operator},
	ClientList:   {Kinds: gate.Admins, Rights: gate.Admin},
	ClientSet:    {Kinds: gate.Admins, Rights: gate.Admin, StepUp: true, Audit: gate.WithChange},
	ClientDrop:   {Kinds: gate.Admins, Rights: gate.Admin, StepUp: true, Audit: gate.WithChange},
}
