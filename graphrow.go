package loci

import "time"

// GraphTime is the precision of the times of a graph.
const GraphTime = time.Millisecond

// Validate returns an Invalid error for the first field of an imported entity that breaks a limit.
// field is the caller's name for the entity. Validate cuts times to GraphTime and removes
// duplicates in AllowedVendors.
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

// Validate works like Entity.Validate.
func (o *Observation) Validate(field string) error {
	if o.ID.IsZero() || o.EntityID.IsZero() {
		return FieldErrorf(field+".id", "and %s.entity_id are required", field)
	}
	if err := CheckText(field+".content", o.Content, 1, MaxObservation); err != nil {
		return err
	}
	return o.validate(field, &o.CreatedAt)
}

// Validate works like Entity.Validate.
func (r *Relation) Validate(field string) error {
	if r.ID.IsZero() || r.FromID.IsZero() || r.ToID.IsZero() {
		return FieldErrorf(field+".id", "and %[1]s.from_entity and %[1]s.to_entity are required", field)
	}
	if err := CheckText(field+".relation_type", r.Type, 1, MaxGraphType); err != nil {
		return err
	}
	return r.validate(field, &r.CreatedAt)
}

// validate checks the fields that only the server sets.
func (a *GraphAccess) validate(field string, created *time.Time) error {
	if !a.DeletedAt.IsZero() {
		return FieldErrorf(field+".deleted_at", "must be absent; Loci imports only rows that are not deleted")
	}
	if Vendor(a.Origin).Validate() != nil {
		return FieldErrorf(field+".origin", "is not a vendor or one of api, cli and dashboard")
	}
	// A merge may leave a row that no vendor may read.
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
