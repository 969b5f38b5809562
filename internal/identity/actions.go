package identity

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// The actions of this package.
var (
	WhoAmI        = Actions.Add("whoami", gate.Everyone, nil, 0)
	AccountChange = Actions.Add("account.change", gate.People, gate.Account, gate.WithChange)
	AccountDelete = Actions.Add("account.delete", gate.People, gate.Account, gate.WithChange|gate.StepUp)
	SignInRead    = Actions.Add("sign_in.read", gate.People, gate.Account, 0)
	SignInChange  = Actions.Add("sign_in.change", gate.People, gate.Account, gate.WithChange|gate.StepUp)
	SignInList    = Actions.Add("sign_in.list", gate.People, gate.Account, 0)
	SignInEnd     = Actions.Add("sign_in.end", gate.People, gate.Account, gate.WithChange)
	KeyList       = Actions.Add("key.list", gate.People, gate.Account, 0)
	KeyCreate     = Actions.Add("key.create", gate.People, gate.Account, gate.WithChange|gate.StepUp)
	KeyRotate     = Actions.Add("key.rotate", gate.People, gate.Account, gate.WithChange|gate.StepUp)
	KeyRevoke     = Actions.Add("key.revoke", gate.People, gate.Account, gate.WithChange)
	KeyListAll    = Actions.Add("key.list_all", gate.Operator, nil, 0)
	GrantConsent  = Actions.Add("grant.consent", gate.People, gate.Account, gate.WithChange|gate.Browser)
	GrantList     = Actions.Add("grant.list", gate.People, gate.Account, 0)
	GrantListAll  = Actions.Add("grant.list_all", gate.Operator, nil, 0)
	GrantRevoke   = Actions.Add("grant.revoke", gate.People, gate.Account, gate.WithChange)
	AdminRead     = Actions.Add("admin.read", gate.Admins, gate.Admin, 0)
	UserRole      = Actions.Add("user.role", gate.Operator, nil, gate.WithChange)
	UserSet       = Actions.Add("user.set", gate.Operator, nil, gate.WithChange)
	UserReset     = Actions.Add("user.reset", gate.Operator, nil, gate.WithChange)
	LinkCreate    = Actions.Add("link.create", gate.Operator, nil, gate.WithChange)
	// AuditRead shows people what they did. AuditReadOrg adds who administered the org.
	AuditRead    = Actions.Add("audit.read", gate.People, gate.Account, 0)
	AuditReadOrg = Actions.Add("audit.read_org", gate.People, gate.Admin, 0, gate.OrgAdmin)
	AuditReadAll = Actions.Add("audit.read_all", gate.Operator, nil, 0)
	ClientList   = Actions.Add("oauth_client.list", gate.Admins, gate.Admin, 0)
	ClientSet    = Actions.Add("oauth_client.set", gate.Admins, gate.Admin, gate.WithChange|gate.StepUp)
	ClientDrop   = Actions.Add("oauth_client.delete", gate.Admins, gate.Admin, gate.WithChange|gate.StepUp)
)
