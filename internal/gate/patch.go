package gate

// Set assigns value, unless it is nil, to a field that a patch names.
func Set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
