package client

import "encoding/json"

// Change is one field of an Edit: left out (the zero value), cleared, or set.
type Change[T any] struct {
	present, null bool
	value         T
}

// Set changes a field to v.
func Set[T any](v T) Change[T] { return Change[T]{present: true, value: v} }

// Clear resets a field to its default: empty, or the value in a new memory.
func Clear[T any]() Change[T] { return Change[T]{present: true, null: true} }

// IsZero reports whether the field stays unchanged.
func (c Change[T]) IsZero() bool { return !c.present }

// Cleared reports whether the change clears the field.
func (c Change[T]) Cleared() bool { return c.present && c.null }

// Value returns the new value, or the zero value if the field is cleared or stays unchanged.
func (c Change[T]) Value() T { return c.value }

// MarshalJSON writes null for a cleared field.
func (c Change[T]) MarshalJSON() ([]byte, error) {
	if c.null || !c.present {
		return []byte("null"), nil
	}
	return json.Marshal(c.value)
}

// UnmarshalJSON reads a value, or null for a cleared field.
func (c *Change[T]) UnmarshalJSON(b []byte) error {
	c.present, c.null = true, string(b) == "null"
	if c.null {
		return nil
	}
	return json.Unmarshal(b, &c.value)
}
