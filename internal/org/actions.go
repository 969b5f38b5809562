package org

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
)

// The actions of this package.
const (
	TeamCreate      gate.Action = "team.create"
	TeamRead        gate.Action = "team.read"
	TeamChange      gate.Action = "team.change"
	TeamDelete      gate.Action = "team.delete"
	TeamInvite      gate.Action = "team.invite"
	TeamRole        gate.Action = "team.role"
	TeamRemove      gate.Action = "team.remove"
	TeamJoin        gate.Action = "team.join"
	TeamLeave       gate.Action = "team.leave"
	Read            gate.Action = "org.read"
	Change          gate.Action = "org.change"
	Set             gate.Action = "org.set"
	Delete          gate.Action = "org.delete"
	Invite          gate.Action = "org.invite"
	MemberList      gate.Action = "member.list"
	MemberAdd       gate.Action = "member.add"
	MemberRole      gate.Action = "member.role"
	MemberRemove    gate.Action = "member.remove"
	MemberEnable    gate.Action = "member.enable"
	WorkspaceRead   gate.Action = "workspace.read"
	WorkspaceChange gate.Action = "workspace.change"
	WorkspaceEnter  gate.Action = "workspace.enter"
	Create          gate.Action = "org.create"
	List            gate.Action = "org.list"
	Suspend         gate.Action = "org.suspend"
	Hold            gate.Action = "org.hold"
	Export          gate.Action = "org.export"
	ArcRead         gate.Action = "arc.read"
	ArcSet          gate.Action = "arc.set"
	MasterRotate    gate.Action = "master.rotate"
)

// Actions defines who may perform each of them.
var Actions = gate.Actions{
	TeamCreate: {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	TeamRead:   {Kinds: gate.People, Rights: gate.Account},
	TeamChange: {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	TeamDelete: {Kinds: gate.People, Rights: gate.Account, StepUp: true, Audit: gate.WithChange},
	TeamInvite: {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	TeamRole:   {Kinds: gate.People, Rights: gate.Account, StepUp: true, Audit: gate.WithChange},
	TeamRemove: {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	TeamJoin:   {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	TeamLeave:  {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	Read:       {Kinds: gate.People, Rights: gate.Account},
	Change:     {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, Audit: gate.WithChange},
	Set: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberOwner, StepUp: true,
		Audit: gate.WithChange},
	Delete: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberOwner, StepUp: true,
		Audit: gate.WithChange},
	Invite:     {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, Audit: gate.WithChange},
	MemberList: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin},
	MemberAdd:  {Kinds: gate.Operator, Audit: gate.WithChange},
	MemberRole: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, StepUp: true,
		Audit: gate.WithChange},
	MemberRemove: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, StepUp: true,
		Audit: gate.WithChange},
	MemberEnable: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, StepUp: true,
		Audit: gate.WithChange},
	WorkspaceRead:   {Kinds: gate.People, Rights: gate.Account},
	WorkspaceChange: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, Audit: gate.WithChange},
	WorkspaceEnter:  {Kinds: gate.People, Rights: gate.Account, Audit: gate.WithChange},
	Create:          {Kinds: gate.Admins, Rights: gate.Admin, StepUp: true, Audit: gate.WithChange},
	List:            {Kinds: gate.Admins, Rights: gate.Admin},
	Suspend:         {Kinds: gate.Admins, Rights: gate.Admin, StepUp: true, Audit: gate.WithChange},
	Hold: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberOwner, StepUp: true,
		Audit: gate.WithChange},
	Export:       {Kinds: gate.Operator, Audit: gate.WithChange},
	ArcRead:      {Kinds: gate.Operator},
	ArcSet:       {Kinds: gate.Operator, Audit: gate.WithChange},
	MasterRotate: {Kinds: gate.Operator, Audit: gate.WithChange},
}
