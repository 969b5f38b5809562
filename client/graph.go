package client

import "github.com/loci-memory/loci"

// EntityRef names an entity.
type EntityRef struct {
	Name string `json:"name" minLength:"1" maxLength:"500" example:"API gateway"`
	Type string `json:"entity_type,omitzero" maxLength:"100" doc:"Left out: all entities of that name" example:"service"`
}

// NewEntity is an entity to be stored, with its first observations.
type NewEntity struct {
	Name         string   `json:"name" minLength:"1" maxLength:"500" example:"API gateway"`
	Type         string   `json:"entity_type" minLength:"1" maxLength:"100" example:"service"`
	Observations []string `json:"observations,omitzero" nullable:"false" maxItems:"1000" minLength:"1" maxLength:"100000" doc:"Facts about it, one each" example:"[\"Listens on port 8443\"]"`
}

// NewEntities stores entities, all or none.
type NewEntities struct {
	Entities []NewEntity `json:"entities" nullable:"false" minItems:"1" maxItems:"1000"`
	Vendors
}

// Vendors says who may read what a call adds.
type Vendors struct {
	AllowedVendors []loci.Vendor `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Which vendors may read what this call adds; left out or [\"*\"]: all" example:"[\"*\"]"`
}

// NewObservations are facts about one entity.
type NewObservations struct {
	Entity   string   `json:"entity_name" minLength:"1" maxLength:"500" example:"API gateway"`
	Type     string   `json:"entity_type,omitzero" maxLength:"100" doc:"Needed if entities of several types have the name" example:"service"`
	Contents []string `json:"contents" nullable:"false" minItems:"1" maxItems:"1000" minLength:"1" maxLength:"100000" example:"[\"Listens on port 8443\"]"`
}

// AddedObservations adds observations to entities, all or none.
type AddedObservations struct {
	Observations []NewObservations `json:"observations" nullable:"false" minItems:"1" maxItems:"1000"`
	Vendors
}

// NewRelation is a directed edge between entities, to be stored or deleted.
type NewRelation struct {
	From     string `json:"from" minLength:"1" maxLength:"500" example:"website"`
	FromType string `json:"from_type,omitzero" maxLength:"100" doc:"Needed if entities of several types have the name"`
	To       string `json:"to" minLength:"1" maxLength:"500" example:"API gateway"`
	ToType   string `json:"to_type,omitzero" maxLength:"100" doc:"Needed if entities of several types have the name"`
	Type     string `json:"relation_type" minLength:"1" maxLength:"100" doc:"In active voice" example:"depends_on"`
}

// NewRelations stores relations, all or none.
type NewRelations struct {
	Relations []NewRelation `json:"relations" nullable:"false" minItems:"1" maxItems:"1000"`
	Vendors
}

// EntityNames names entities: by names alone, or with their types.
type EntityNames struct {
	Names    []string    `json:"names,omitzero" nullable:"false" maxItems:"1000" minLength:"1" maxLength:"500" doc:"Exact names, of any type" example:"[\"API gateway\"]"`
	Entities []EntityRef `json:"entities,omitzero" nullable:"false" maxItems:"1000" doc:"The same with types, in place of names"`
}

// OldObservations are observations of one entity that are to be deleted.
type OldObservations struct {
	Entity       string   `json:"entity_name" minLength:"1" maxLength:"500" example:"API gateway"`
	Type         string   `json:"entity_type,omitzero" maxLength:"100" doc:"Left out: all entities of that name" example:"service"`
	Observations []string `json:"observations" nullable:"false" minItems:"1" maxItems:"1000" minLength:"1" maxLength:"100000" doc:"Their exact contents" example:"[\"Listens on port 8443\"]"`
}

// ObservationDeletions deletes observations.
type ObservationDeletions struct {
	Deletions []OldObservations `json:"deletions" nullable:"false" minItems:"1" maxItems:"1000"`
}

// RelationDeletions deletes relations.
type RelationDeletions struct {
	Relations []NewRelation `json:"relations" nullable:"false" minItems:"1" maxItems:"1000" doc:"Those without types mean all entities of the name"`
}

// GraphIDs names rows of a graph.
type GraphIDs struct {
	Entities     []loci.EntityID      `json:"entities,omitzero" nullable:"false" maxItems:"1000" format:"uuid"`
	Observations []loci.ObservationID `json:"observations,omitzero" nullable:"false" maxItems:"1000" format:"uuid"`
	Relations    []loci.RelationID    `json:"relations,omitzero" nullable:"false" maxItems:"1000" format:"uuid"`
}

// GraphVendors says who may read rows of a graph.
type GraphVendors struct {
	GraphIDs
	AllowedVendors []loci.Vendor `json:"allowed_vendors" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Which vendors may read them; [\"*\"]: all" example:"[\"*\"]"`
}

// EntityMerge makes one entity of two.
type EntityMerge struct {
	From loci.EntityID `json:"from" format:"uuid" doc:"Goes to the trash"`
	Into loci.EntityID `json:"into" format:"uuid" doc:"Gets copies of what hangs on the other one"`
}

// PutEntity is what became of an entity that was sent.
type PutEntity struct {
	loci.Entity
	Created bool `json:"created" doc:"False: it was there already"`
	Added   int  `json:"added" doc:"How many of the observations are new" example:"1"`
}

// PutEntities is what became of the entities that were sent, in their order.
type PutEntities struct {
	Entities []PutEntity `json:"entities" nullable:"false"`
}

// EntityObservation is an observation with the name of its entity.
type EntityObservation struct {
	loci.Observation
	EntityName string `json:"entity_name" example:"API gateway"`
}

// PutObservations is what became of the observations that were sent.
type PutObservations struct {
	Observations []EntityObservation `json:"observations" nullable:"false" doc:"What was added"`
	Duplicates   []EntityObservation `json:"duplicates" nullable:"false" doc:"What was there already"`
}

// PutRelation is what became of a relation that was sent.
type PutRelation struct {
	loci.Relation
	Created bool `json:"created" doc:"False: it was there already"`
}

// PutRelations is what became of the relations that were sent, in their order.
type PutRelations struct {
	Relations []PutRelation `json:"relations" nullable:"false"`
}

// Deleted says how many rows went to the trash.
type Deleted struct {
	Deleted int `json:"deleted" example:"1"`
}

// Restored says how many rows came out of the trash.
type Restored struct {
	Restored int `json:"restored" example:"1"`
}

// Changed says how many rows were changed.
type Changed struct {
	Changed int `json:"changed" example:"1"`
}

// GraphPage is one page of a graph, in the order in which it was stored.
type GraphPage struct {
	Entities  []loci.Entity   `json:"entities" nullable:"false"`
	Relations []loci.Relation `json:"relations" nullable:"false" doc:"Those that begin at an entity of this page; all pages together have each once"`
	Left      int             `json:"entities_left" doc:"Entities on the pages behind it" example:"0"`
	More
}

// GraphHits is one page of the entities that a search found, the best first.
type GraphHits struct {
	Entities          []loci.Entity `json:"entities" nullable:"false"`
	Total             int           `json:"total" doc:"On all pages" example:"1"`
	TotalIsLowerBound bool          `json:"total_is_lower_bound,omitempty" doc:"There are more than total"`
	AnyWord           bool          `json:"any_word,omitempty" doc:"No entity has all the words; these have some of them, or else words that begin like them"`
	More
}

// FoundEntities is the entities of some names.
type FoundEntities struct {
	Entities []loci.Entity `json:"entities" nullable:"false"`
	Missing  []NoSuchName  `json:"missing" nullable:"false" doc:"Names that are not there"`
}

// NoSuchName is a name that is not there, with the nearest ones that are.
type NoSuchName struct {
	Name    string   `json:"name" example:"API gatewy"`
	Nearest []string `json:"did_you_mean,omitempty" nullable:"false" example:"[\"API gateway\"]"`
}

// Cut says whether a list without pages is all there is.
type Cut struct {
	HasMore bool `json:"has_more" doc:"There is more than limit; at the highest limit: perhaps"`
}

// EntityList is entities.
type EntityList struct {
	Entities []loci.Entity `json:"entities" nullable:"false"`
	Cut
}

// ObservationList is observations of an entity, oldest first.
type ObservationList struct {
	Observations []loci.Observation `json:"observations" nullable:"false"`
	More
}

// RelationList is relations of an entity, oldest first.
type RelationList struct {
	Relations []loci.Relation `json:"relations" nullable:"false"`
	More
}

// GraphChangeList is what happened to an entity, oldest first.
type GraphChangeList struct {
	Changes []loci.GraphChange `json:"changes" nullable:"false"`
	Cut
}

// GraphTrash is what can be restored, newest deletion first.
type GraphTrash struct {
	Entities     []loci.Entity      `json:"entities" nullable:"false" doc:"Without what was deleted along with them"`
	Observations []loci.Observation `json:"observations" nullable:"false" doc:"Deleted by themselves"`
	Relations    []loci.Relation    `json:"relations" nullable:"false" doc:"Deleted by themselves"`
	Cut
}

// GraphImported says what an import did.
type GraphImported struct {
	Lines        int           `json:"lines" example:"3"`
	Entities     int           `json:"entities" doc:"Added" example:"2"`
	Observations int           `json:"observations" doc:"Added" example:"4"`
	Relations    int           `json:"relations" doc:"Added" example:"1"`
	Present      int           `json:"present" doc:"Rows that were there already" example:"0"`
	Refused      int           `json:"refused" doc:"Lines that were not taken" example:"0"`
	Problems     []LineProblem `json:"problems" nullable:"false" doc:"Why lines were not taken; at most 1,000"`
}

// LineProblem is a line that was not taken.
type LineProblem struct {
	Line   int    `json:"line" doc:"From 1" example:"7"`
	Detail string `json:"detail" example:"the entity that it begins at is not there"`
}
