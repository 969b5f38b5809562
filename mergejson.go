package loci

import "encoding/json"

// MergeObject changes a JSON object as a merge patch says (RFC 7396): null removes a member, an object
// changes the members of the object in its place, and every other value replaces what was there. An
// empty object counts as {}, and an empty patch changes nothing. Both must have passed CheckObject.
// Members are sorted by name; values that the patch doesn't mention stay as they are.
func MergeObject(object, patch json.RawMessage) (json.RawMessage, error) {
	if len(patch) == 0 {
		return object, nil
	}
	merged, err := mergedValue(object, patch)
	if err != nil || string(merged) == "{}" {
		return nil, err
	}
	return merged, nil
}

func mergedValue(old, patch json.RawMessage) (json.RawMessage, error) {
	changes := members(patch)
	if changes == nil {
		return patch, nil
	}
	result := members(old)
	if result == nil {
		result = map[string]json.RawMessage{}
	}
	for name, value := range changes {
		if string(value) == "null" {
			delete(result, name)
			continue
		}
		merged, err := mergedValue(result[name], value)
		if err != nil {
			return nil, err
		}
		result[name] = merged
	}
	return EncodeJSON(result)
}

// members returns the members of a JSON object, or nil for another value.
func members(value json.RawMessage) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(value, &m) // leaves nil for another value
	return m
}
