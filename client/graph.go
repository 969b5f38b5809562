package client

import "github.com/loci-memory/loci"

// EntityRef names an entity.
type EntityRef struct {
	Name string `json:"name" minLength:"1" maxLength:"500" example:"API gateway"`
	Type string `json:"entity_type,omitzero" maxLength:"100" doc:"Default: all entities with that name" example:"service"`
}

// NewEntity is an entity to store, with its first observations.
type NewEntity struct {
	Name         string   `json:"name" minLength:"1" maxLength:"500" example:"API gateway"`
	Type         string   `json:"entity_type" minLength:"1" maxLength:"100" example:"service"`
	Observations []string `json:"observations,omitzero" nullable:"false" maxItems:"1000" minLength:"1" maxLength:"100000" doc:"Facts about the entity, one per string" example:"[\"Listens on port 8443\"]"`
}

// NewEntities asks to store entities, all or none.
type NewEntities struct {
	Entities []NewEntity `json:"entities" nullable:"false" minItems:"1" maxItems:"1000"`
	Vendors
}

// Vendors lists the vendors that may read what a call adds.
type Vendors struct {
	AllowedVendors []loci.Vendor `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors that may read what this call adds. Default: [\"*\"], all vendors" example:"[\"*\"]"`
}

// NewObservations are facts about one entity.
type NewObservations struct {
	Entity   string   `json:"entity_name" minLength:"1" maxLength:"500" example:"API gateway"`
	Type     string   `json:"entity_type,omitzero" maxLength:"100" doc:"Required if entities of several types have this name" example:"service"`
	Contents []string `json:"contents" nullable:"false" minItems:"1" maxItems:"1000" minLength:"1" maxLength:"100000" example:"[\"Listens on port 8443\"]"`
}

// AddedObservations asks to add observations to entities, all or none.
type AddedObservations struct {
	Observations []NewObservations `json:"observations" nullable:"false" minItems:"1" maxItems:"1000"`
	Vendors
}

// NewRelation is a directed edge between entities, to store or delete.
type NewRelation struct {
	From     string `json:"from" minLength:"1" maxLength:"500" example:"website"`
	FromType string `json:"from_type,omitzero" maxLength:"100" doc:"Required if entities of several types have this name"`
	To       string `json:"to" minLength:"1" maxLength:"500" example:"API gateway"`
	ToType   string `json:"to_type,omitzero" maxLength:"100" doc:"Required if entities of several types have this name"`
	Type     string `json:"relation_type" minLength:"1" maxLength:"100" doc:"A verb in the active voice" example:"depends_on"`
}

// NewRelations asks to store relations, all or none.
type NewRelations struct {
	Relations []NewRelation `json:"relations" nullable:"false" minItems:"1" maxItems:"1000"`
	Vendors
}

// EntityNames names entities, by name only or with their types.
type EntityNames struct {
	Names    []string    `json:"names,omitzero" nullable:"false" maxItems:"1000" minLength:"1" maxLength:"500" doc:"Exact names, of any type" example:"[\"API gateway\"]"`
	Entities []EntityRef `json:"entities,omitzero" nullable:"false" maxItems:"1000" doc:"Use instead of names to specify types"`
}

// OldObservations are observations of one entity to delete.
type OldObservations struct {
	Entity       string   `json:"entity_name" minLength:"1" maxLength:"500" example:"API gateway"`
	Type         string   `json:"entity_type,omitzero" maxLength:"100" doc:"Default: all entities with that name" example:"service"`
	Observations []string `json:"observations" nullable:"false" minItems:"1" maxItems:"1000" minLength:"1" maxLength:"100000" doc:"The exact contents" example:"[\"Listens on port 8443\"]"`
}

// ObservationDeletions asks to delete observations.
type ObservationDeletions struct {
	Deletions []OldObservations `json:"deletions" nullable:"false" minItems:"1" maxItems:"1000"`
}

// RelationDeletions asks to delete relations.
type RelationDeletions struct {
	Relations []NewRelation `json:"relations" nullable:"false" minItems:"1" maxItems:"1000" doc:"A name without a type means all entities with that name"`
}

// GraphIDs names rows of a graph.
type GraphIDs struct {
	Entities     []loci.EntityID      `json:"entities,omitzero" nullable:"false" maxItems:"1000" format:"uuid"`
	Observations []loci.ObservationID `json:"observations,omitzero" nullable:"false" maxItems:"1000" format:"uuid"`
	Relations    []loci.RelationID    `json:"relations,omitzero" nullable:"false" maxItems:"1000" format:"uuid"`
}

// GraphVendors sets the vendors that may read rows of a graph.
type GraphVendors struct {
	GraphIDs
	AllowedVendors []loci.Vendor `json:"allowed_vendors" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors that may read them; [\"*\"] means all" example:"[\"*\"]"`
}

// EntityMerge asks to merge one entity into another.
type EntityMerge struct {
	From loci.EntityID `json:"from" format:"uuid" doc:"This entity goes to the trash"`
	Into loci.EntityID `json:"into" format:"uuid" doc:"This entity gets copies of the other one's observations and relations"`
}

// PutEntity is the result of storing an entity.
type PutEntity struct {
	loci.Entity
	Created bool   `json:"created" doc:"False if it already existed"`
	Added   int    `json:"added" doc:"Number of new observations" example:"1"`
	Hint    string `json:"hint,omitempty" doc:"Of a new entity: another whose name differs only in case or blanks"`
}

// PutEntities is the result of storing entities, in the order of the request.
type PutEntities struct {
	Entities []PutEntity `json:"entities" nullable:"false"`
	Secrets  []string    `json:"secrets,omitempty" doc:"Which types of secrets the new rows have. Loci stores them as sent, and puts them into the inbox of the person" example:"[\"password\"]"`
}

// EntityObservation is an observation with the name of its entity.
type EntityObservation struct {
	loci.Observation
	EntityName string `json:"entity_name" example:"API gateway"`
}

// PutObservations is the result of storing observations.
type PutObservations struct {
	Observations []EntityObservation `json:"observations" nullable:"false" doc:"Observations that were added"`
	Duplicates   []EntityObservation `json:"duplicates" nullable:"false" doc:"Observations that already existed"`
	Secrets      []string            `json:"secrets,omitempty" doc:"Which types of secrets the new rows have. Loci stores them as sent, and puts them into the inbox of the person" example:"[\"password\"]"`
}

// PutRelation is the result of storing a relation.
type PutRelation struct {
	loci.Relation
	Created bool `json:"created" doc:"False if it already existed"`
}

// PutRelations is the result of storing relations, in the order of the request.
type PutRelations struct {
	Relations []PutRelation `json:"relations" nullable:"false"`
	Secrets   []string      `json:"secrets,omitempty" doc:"Which types of secrets the new rows have. Loci stores them as sent, and puts them into the inbox of the person" example:"[\"password\"]"`
}

// Deleted is the number of rows that went to the trash.
type Deleted struct {
	Deleted    int               `json:"deleted" example:"1"`
	Suggested  int               `json:"suggested,omitempty" doc:"Number of rows that an agent may only suggest to delete, because they or rows of theirs have another origin"`
	Suggestion loci.SuggestionID `json:"suggestion,omitzero" format:"uuid" doc:"The suggestion to delete those, for a person to accept"`
}

// MergedEntity is the entity into which another was merged.
type MergedEntity struct {
	loci.Entity
	Suggestion loci.SuggestionID `json:"suggestion,omitzero" format:"uuid" doc:"Set if an agent may only suggest the merge. Then nothing has changed"`
}

// Restored is the number of rows restored from the trash.
type Restored struct {
	Restored int `json:"restored" example:"1"`
}

// Changed is the number of changed rows.
type Changed struct {
	Changed int `json:"changed" example:"1"`
}

// GraphPage is one page of a graph, in the order in which its rows were stored.
type GraphPage struct {
	Entities  []loci.Entity   `json:"entities" nullable:"false"`
	Relations []loci.Relation `json:"relations" nullable:"false" doc:"Relations from an entity of this page. All pages together contain each relation once"`
	Left      int             `json:"entities_left" doc:"Number of entities on later pages" example:"0"`
	More
}

// GraphHits is one page of the entities that a search found, best match first.
type GraphHits struct {
	Entities          []loci.Entity `json:"entities" nullable:"false"`
	Total             int           `json:"total" doc:"Number of matches on all pages" example:"1"`
	TotalIsLowerBound bool          `json:"total_is_lower_bound,omitempty" doc:"True if there are more matches than total"`
	AnyWord           bool          `json:"any_word,omitempty" doc:"True if no entity has all words. These have some of the words, or words that begin with them"`
	More
}

// FoundEntities is the result of opening entities by name.
type FoundEntities struct {
	Entities []loci.Entity `json:"entities" nullable:"false"`
	Missing  []NoSuchName  `json:"missing" nullable:"false" doc:"Names that were not found"`
}

// NoSuchName is a name that was not found, with the most similar existing names.
type NoSuchName struct {
	Name    string   `json:"name" example:"API gatewy"`
	Nearest []string `json:"did_you_mean,omitempty" nullable:"false" example:"[\"API gateway\"]"`
}

// Cut tells whether a list without pages is complete.
type Cut struct {
	HasMore bool `json:"has_more" doc:"True if there are more than limit. At the highest limit, true means that there may be more"`
}

// EntityList is a list of entities.
type EntityList struct {
	Entities []loci.Entity `json:"entities" nullable:"false"`
	Cut
}

// ObservationList is the observations of an entity, oldest first.
type ObservationList struct {
	Observations []loci.Observation `json:"observations" nullable:"false"`
	More
}

// RelationList is the relations of an entity, oldest first.
type RelationList struct {
	Relations []loci.Relation `json:"relations" nullable:"false"`
	More
}

// GraphChangeList is the changes of an entity, oldest first.
type GraphChangeList struct {
	Changes []loci.GraphChange `json:"changes" nullable:"false"`
	Cut
}

// GraphTrash is what can be restored, last deleted first.
type GraphTrash struct {
	Entities     []loci.Entity      `json:"entities" nullable:"false" doc:"Without the observations and relations that were deleted with them"`
	Observations []loci.Observation `json:"observations" nullable:"false" doc:"Observations that were deleted on their own"`
	Relations    []loci.Relation    `json:"relations" nullable:"false" doc:"Relations that were deleted on their own"`
	Cut
}

// GraphImported is the result of an import.
type GraphImported struct {
	Lines        int           `json:"lines" example:"3"`
	Entities     int           `json:"entities" doc:"Number of added entities" example:"2"`
	Observations int           `json:"observations" doc:"Number of added observations" example:"4"`
	Relations    int           `json:"relations" doc:"Number of added relations" example:"1"`
	Present      int           `json:"present" doc:"Number of rows that already existed" example:"0"`
	Refused      int           `json:"refused" doc:"Number of rejected lines" example:"0"`
	Problems     []LineProblem `json:"problems" nullable:"false" doc:"Why lines were rejected; at most 1,000"`
}

// LineProblem is a rejected line.
type LineProblem struct {
	Line   int    `json:"line" doc:"Line number, from 1" example:"7"`
	Detail string `json:"detail" example:"the entity that it begins at is not there"`
}
