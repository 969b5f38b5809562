package org

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
)

// The actions.
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
	WorkspaceRead   gate.Action = "workspace.read"
	WorkspaceChange gate.Action = "workspace.change"
	WorkspaceEnter  gate.Action = "workspace.enter"
	Create          gate.Action = "org.create"
	List            gate.Action = "org.list"
	Suspend         gate.Action = "org.suspend"
	Export          gate.Action = "org.export"
)

// Actions says who may take each of them.
var Actions = gate.Actions{
	TeamCreate:      {Kinds: gate.People, Rights: gate.Account, Audited: true},
	TeamRead:        {Kinds: gate.People, Rights: gate.Account},
	TeamChange:      {Kinds: gate.People, Rights: gate.Account, Audited: true},
	TeamDelete:      {Kinds: gate.People, Rights: gate.Account, StepUp: true, Audited: true},
	TeamInvite:      {Kinds: gate.People, Rights: gate.Account, Audited: true},
	TeamRole:        {Kinds: gate.People, Rights: gate.Account, StepUp: true, Audited: true},
	TeamRemove:      {Kinds: gate.People, Rights: gate.Account, Audited: true},
	TeamJoin:        {Kinds: gate.People, Rights: gate.Account, Audited: true},
	TeamLeave:       {Kinds: gate.People, Rights: gate.Account, Audited: true},
	Read:            {Kinds: gate.People, Rights: gate.Account},
	Change:          {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, Audited: true},
	Set:             {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberOwner, StepUp: true, Audited: true},
	Delete:          {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberOwner, StepUp: true, Audited: true},
	Invite:          {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, Audited: true},
	MemberList:      {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin},
	MemberAdd:       {Kinds: gate.Operator, Audited: true},
	MemberRole:      {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, StepUp: true, Audited: true},
	MemberRemove:    {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, StepUp: true, Audited: true},
	WorkspaceRead:   {Kinds: gate.People, Rights: gate.Account},
	WorkspaceChange: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, Audited: true},
	WorkspaceEnter:  {Kinds: gate.People, Rights: gate.Account, Audited: true},
	Create:          {Kinds: gate.Operator, Audited: true},
	List:            {Kinds: gate.Operator},
	Suspend:         {Kinds: gate.Operator, Audited: true},
	Export:          {Kinds: gate.Operator, Audited: true},
}
