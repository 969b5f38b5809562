package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (s *Server) addGraphDeleting(srv *mcp.Server) {
	addCall(s, srv, &mcp.Tool{
		Name: "delete_entities", Title: "Delete entities", Annotations: removes(),
		Description: "Deletes entities by name, with their observations and relations; returns how many. Names that are not there are passed over. Not for one wrong fact: use delete_observations.",
		InputSchema: input(required("names", texts(loci.MaxEntityName)), inProject()), OutputSchema: json.RawMessage(deletedSchema),
	}, s.deleteEntities)
	addCall(s, srv, &mcp.Tool{
		Name: "delete_observations", Title: "Delete observations", Annotations: removes(),
		Description:  "Deletes facts that say exactly this; returns how many. Use it for what is wrong or over, then add what holds now.",
		InputSchema:  input(items("deletions", required("entity_name", text(1, loci.MaxEntityName)), required("observations", texts(loci.MaxObservation))), inProject()),
		OutputSchema: json.RawMessage(deletedSchema),
	}, s.deleteObservations)
	addCall(s, srv, &mcp.Tool{
		Name: "delete_relations", Title: "Delete relations", Annotations: removes(),
		Description: "Deletes exactly these relations; returns how many. The entities stay.",
		InputSchema: input(items("relations", edge()...), inProject()), OutputSchema: json.RawMessage(deletedSchema),
	}, s.deleteRelations)
}

type deleteEntitiesArgs struct {
	Names   []string `json:"names" alias:"entityNames" need:"yes"`
	Project string   `json:"project"`
}

func (s *Server) deleteEntities(ctx context.Context, c caller, in deleteEntitiesArgs) (any, error) {
	project, err := s.choose(ctx, c, app.GraphDelete, in.Project)
	if err != nil {
		return nil, err
	}
	n, err := s.app.DeleteEntities(ctx, c.principal, project, refs(in.Names))
	if err != nil {
		return nil, err
	}
	return deleted{n}, nil
}

type deletion struct {
	Entity       string   `json:"entity_name" alias:"entityName"`
	Observations []string `json:"observations" need:"yes"`
	Type         string   `json:"entity_type" alias:"entityType"`
}

type deleteObservationsArgs struct {
	Deletions []deletion `json:"deletions" need:"yes"`
	Project   string     `json:"project"`
}

// check says which field is wrong in the words of this tool; those of app are
// of adding.
func (a deleteObservationsArgs) check() error {
	for i, d := range a.Deletions {
		if err := checkType(fmt.Sprintf("deletions[%d].entity_type", i), d.Type); err != nil {
			return err
		}
		if len(d.Observations) > loci.MaxGraphItems {
			return tooMany(fmt.Sprintf("deletions[%d].observations", i), len(d.Observations), loci.MaxGraphItems)
		}
		for j, text := range d.Observations {
			if err := loci.CheckText(fmt.Sprintf("deletions[%d].observations[%d]", i, j), text, 1, loci.MaxObservation); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Server) deleteObservations(ctx context.Context, c caller, in deleteObservationsArgs) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	project, err := s.choose(ctx, c, app.GraphDelete, in.Project)
	if err != nil {
		return nil, err
	}
	items := make([]loci.Contents, len(in.Deletions))
	for i, d := range in.Deletions {
		items[i] = loci.Contents{Entity: loci.EntityRef{Name: d.Entity, Type: d.Type}, Contents: d.Observations}
	}
	n, err := s.app.DeleteObservations(ctx, c.principal, project, items)
	if err != nil {
		return nil, err
	}
	return deleted{n}, nil
}

func (s *Server) deleteRelations(ctx context.Context, c caller, in relationsArgs) (any, error) {
	items, err := in.items()
	if err != nil {
		return nil, err
	}
	project, err := s.choose(ctx, c, app.GraphDelete, in.Project)
	if err != nil {
		return nil, err
	}
	n, err := s.app.DeleteRelations(ctx, c.principal, project, items)
	if err != nil {
		return nil, err
	}
	return deleted{n}, nil
}
