package rest

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// The examples about projects, of the same small world.
var (
	exampleProject = loci.Project{ID: loci.ProjectID(exampleID), Name: "website", Description: "The public site and its deployment",
		Status: loci.ProjectActive, Everyone: true, CreatedAt: exampleTime, UpdatedAt: exampleTime}
	exampleArchived = loci.Project{ID: loci.ProjectID(exampleID), Name: "website", Status: loci.ProjectArchived, Everyone: true,
		CreatedAt: exampleTime, UpdatedAt: exampleTime}
	exampleNewProject     = client.NewProject{Name: "website", Description: "The public site and its deployment"}
	exampleProjects       = client.ProjectList{Projects: []loci.Project{exampleProject}}
	exampleProjectMembers = client.ProjectMemberList{Members: []loci.ProjectMember{{UserID: exampleUser, Role: loci.MemberOwner}}}

	exampleGraphAccess = loci.GraphAccess{UserID: exampleUser, Origin: "claude", AllowedVendors: []loci.Vendor{loci.AnyVendor}}
	exampleObservation = loci.Observation{ID: loci.ObservationID(exampleID), EntityID: loci.EntityID(exampleID), Content: "Listens on port 8443",
		GraphAccess: exampleGraphAccess, CreatedAt: exampleTime}
	exampleRelation = loci.Relation{ID: loci.RelationID(exampleID), FromID: loci.EntityID(exampleUser), ToID: loci.EntityID(exampleID), From: "website", To: "API gateway",
		Type: "depends_on", GraphAccess: exampleGraphAccess, CreatedAt: exampleTime}
	exampleEntity = loci.Entity{ID: loci.EntityID(exampleID), Name: "API gateway", Type: "service", GraphAccess: exampleGraphAccess,
		CreatedAt: exampleTime, UpdatedAt: exampleTime, Observations: []loci.Observation{exampleObservation}, Relations: []loci.Relation{exampleRelation}}

	exampleNewEntities = client.NewEntities{Entities: []client.NewEntity{
		{Name: "API gateway", Type: "service", Observations: []string{"Listens on port 8443"}}, {Name: "website", Type: "service"}}}
	exampleNewObservations = client.AddedObservations{Observations: []client.NewObservations{{Entity: "API gateway", Contents: []string{"Is restarted at night"}}}}
	exampleNewRelations    = client.NewRelations{Relations: []client.NewRelation{exampleNewRelation}}
	exampleNewRelation     = client.NewRelation{From: "website", To: "API gateway", Type: "depends_on"}
	exampleNames           = client.EntityNames{Names: []string{"API gateway"}}
	exampleOldObservations = client.ObservationDeletions{Deletions: []client.OldObservations{{Entity: "API gateway", Observations: []string{"Listens on port 8443"}}}}
	exampleOldRelations    = client.RelationDeletions{Relations: []client.NewRelation{exampleNewRelation}}
	exampleNodeIDs         = client.NodeIDs{Entities: []loci.EntityID{loci.EntityID(exampleID)}}
	exampleGone            = client.NodeIDs{Entities: []loci.EntityID{{0x1b, 0x9d, 0x6b, 0xcd, 0xbb, 0xfd, 0x4b, 0x2d, 0x9b, 0x5d, 0xab, 0x8d, 0xfb, 0xbd, 0x4b, 0xed}}}
	exampleMerge           = client.EntityMerge{From: loci.EntityID(exampleUser), Into: loci.EntityID(exampleID)}
	exampleNodeVendors     = client.NodeVendors{NodeIDs: exampleNodeIDs, AllowedVendors: []loci.Vendor{"claude", "cursor"}}

	examplePutEntities     = client.PutEntities{Entities: []client.PutEntity{{Entity: exampleEntity, Created: true, Added: 1}}}
	examplePutObservations = client.PutObservations{Observations: []client.EntityObservation{{Observation: exampleObservation, EntityName: "API gateway"}},
		Duplicates: []client.EntityObservation{}}
	examplePutRelations = client.PutRelations{Relations: []client.PutRelation{{Relation: exampleRelation, Created: true}}}
	exampleGraphPage    = client.GraphPage{Entities: []loci.Entity{exampleEntity}, Relations: []loci.Relation{exampleRelation}}
	exampleGraphHits    = client.GraphHits{Entities: []loci.Entity{exampleEntity}, Total: 1}
	exampleFoundNodes   = client.FoundNodes{Entities: []loci.Entity{exampleEntity}, Missing: []client.NoSuchName{{Name: "API gatewy", Nearest: []string{"API gateway"}}}}
	exampleChanges      = client.GraphChangeList{Changes: []loci.GraphChange{{At: exampleTime, Change: "created", Kind: "entity", ID: exampleID.String(),
		UserID: exampleUser, Origin: "claude", Text: "API gateway"}}}
	exampleGraphTrash = client.GraphTrash{Entities: []loci.Entity{}, Observations: []loci.Observation{exampleObservation}, Relations: []loci.Relation{}}
	exampleImported   = client.GraphImported{Lines: 3, Entities: 2, Observations: 1, Refused: 1,
		Problems: []client.LineProblem{{Line: 3, Detail: `there is no entity "API gatewy"`}}}
	exampleGraphLines = `{"type":"entity","name":"API gateway","entityType":"service","observations":["Listens on port 8443"]}` + "\n"
)
