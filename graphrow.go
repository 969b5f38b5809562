package loci

import "time"

// GraphTime is the precision of the times of a graph.
const GraphTime = time.Millisecond

// Validate returns an Invalid error about the first field of an imported
// entity that breaks a limit. field is the caller's name for the entity. It cuts times to
// GraphTime and drops duplicates in AllowedVendors.
func (e *Entity) Validate(field string) error {
	if e.ID.IsZero() {
		return FieldErrorf(field+".id", "is missing")
	}
	item := NewEntity{EntityRef: EntityRef{Name: e.Name, Type: e.Type}}
	if err := item.Validate(field); err != nil {
		return err
	}
	if err := e.validate(field, &e.CreatedAt); err != nil {
		return err
	}
	return cutGraphTime(field+".updated_at", &e.UpdatedAt)
}

// Validate is like that of Entity.
func (o *Observation) Validate(field string) error {
	if o.ID.IsZero() || o.EntityID.IsZero() {
		return FieldErrorf(field+".id", "and %s.entity_id are needed", field)
	}
	if err := CheckText(field+".content", o.Content, 1, MaxObservation); err != nil {
		return err
	}
	return o.validate(field, &o.CreatedAt)
}

// Validate is like that of Entity.
func (r *Relation) Validate(field string) error {
	if r.ID.IsZero() || r.FromID.IsZero() || r.ToID.IsZero() {
		return FieldErrorf(field+".id", "and %[1]s.from_entity and %[1]s.to_entity are needed", field)
	}
	if err := CheckText(field+".relation_type", r.Type, 1, MaxGraphType); err != nil {
		return err
	}
	return r.validate(field, &r.CreatedAt)
}

// validate checks what only the server sets.
func (a *GraphAccess) validate(field string, created *time.Time) error {
	if !a.DeletedAt.IsZero() {
		return FieldErrorf(field+".deleted_at", "is set; only what is not deleted is imported")
	}
	if Vendor(a.Origin).Validate() != nil {
		return FieldErrorf(field+".origin", "is not a vendor or one of api, cli and dashboard")
	}
	// a merge may leave a row to people alone
	if a.AllowedVendors = Unique(a.AllowedVendors); a.AllowedVendors == nil || len(a.AllowedVendors) > 0 {
		if err := CheckVendors(a.AllowedVendors); err != nil {
			return err
		}
	}
	return cutGraphTime(field+".created_at", created)
}

func cutGraphTime(field string, t *time.Time) error {
	*t = t.UTC().Truncate(GraphTime)
	if y := t.Year(); t.IsZero() || y < 1 || y > 9999 {
		return FieldErrorf(field, "must be a time in the years 1 to 9999")
	}
	return nil
}
