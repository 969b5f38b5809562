package org

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// The actions of this package.
var (
	TeamCreate   = Actions.Add("team.create", gate.People, gate.Account, gate.WithChange)
	TeamRead     = Actions.Add("team.read", gate.People, gate.Account, 0)
	TeamChange   = Actions.Add("team.change", gate.People, gate.Account, gate.WithChange)
	TeamDelete   = Actions.Add("team.delete", gate.People, gate.Account, gate.WithChange|gate.StepUp)
	TeamInvite   = Actions.Add("team.invite", gate.People, gate.Account, gate.WithChange)
	TeamRole     = Actions.Add("team.role", gate.People, gate.Account, gate.WithChange|gate.StepUp)
	TeamRemove   = Actions.Add("team.remove", gate.People, gate.Account, gate.WithChange)
	TeamJoin     = Actions.Add("team.join", gate.People, gate.Account, gate.WithChange)
	TeamLeave    = Actions.Add("team.leave", gate.People, gate.Account, gate.WithChange)
	Read         = Actions.Add("org.read", gate.People, gate.Account, 0)
	Change       = Actions.Add("org.change", gate.People, gate.Admin, gate.WithChange, gate.OrgAdmin)
	Set          = Actions.Add("org.set", gate.People, gate.Admin, gate.WithChange|gate.StepUp, gate.OrgOwner)
	Delete       = Actions.Add("org.delete", gate.People, gate.Admin, gate.WithChange|gate.StepUp, gate.OrgOwner)
	Invite       = Actions.Add("org.invite", gate.People, gate.Admin, gate.WithChange, gate.OrgAdmin)
	MemberList   = Actions.Add("member.list", gate.People, gate.Admin, 0, gate.OrgAdmin)
	MemberAdd    = Actions.Add("member.add", gate.Operator, nil, gate.WithChange)
	MemberRole   = Actions.Add("member.role", gate.People, gate.Admin, gate.WithChange|gate.StepUp, gate.OrgAdmin)
	MemberRemove = Actions.Add("member.remove", gate.People, gate.Admin, gate.WithChange|gate.StepUp,
		gate.OrgAdmin)
	MemberEnable = Actions.Add("member.enable", gate.People, gate.Admin, gate.WithChange|gate.StepUp,
		gate.OrgAdmin)
	WorkspaceRead   = Actions.Add("workspace.read", gate.People, gate.Account, 0)
	WorkspaceChange = Actions.Add("workspace.change", gate.People, gate.Admin, gate.WithChange, gate.OrgAdmin)
	WorkspaceEnter  = Actions.Add("workspace.enter", gate.People, gate.Account, gate.WithChange)
	Create          = Actions.Add("org.create", gate.Admins, gate.Admin, gate.WithChange|gate.StepUp)
	List            = Actions.Add("org.list", gate.Admins, gate.Admin, 0)
	Suspend         = Actions.Add("org.suspend", gate.Admins, gate.Admin, gate.WithChange|gate.StepUp)
	Hold            = Actions.Add("org.hold", gate.People, gate.Admin, gate.WithChange|gate.StepUp, gate.OrgOwner)
	Export          = Actions.Add("org.export", gate.Operator, nil, gate.WithChange)
	ArcRead         = Actions.Add("arc.read", gate.Operator, nil, 0)
	ArcSet          = Actions.Add("arc.set", gate.Operator, nil, gate.WithChange)
	MasterRotate    = Actions.Add("master.rotate", gate.Operator, nil, gate.WithChange)
)
