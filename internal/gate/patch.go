package gate

// Set assigns value to a field that a patch names, unless value is nil.
func Set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
