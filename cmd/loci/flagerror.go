package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loci-memory/loci"
)

// flagNames are the flags whose names differ from the API's field.
var flagNames = map[string]string{
	"agent_id": "agent", "allowed_vendors": "allow", "config": "settings",
	"credential_id": "credential", "entity_id": "entity", "expires_at": "expires", "include_superseded": "superseded",
	"kinds": "kind", "memory_id": "memory", "memory_type": "type", "parent_id": "under", "project_id": "project",
	"scopes": "scope", "session_id": "session", "share_with_team": "share", "tags": "tag", "user_id": "user",
}

// flagError is an error that names flags instead of fields.
type flagError struct {
	text  string
	cause error
}

func (e flagError) Error() string { return e.text }
func (e flagError) Unwrap() error { return e.cause }

// inFlags replaces names of API fields in the text of err by flags of cmd: project_id becomes --project.
func inFlags(cmd *cobra.Command, err error) error {
	wrong, ok := errors.AsType[*loci.Error](err)
	if !ok || wrong.Field == "" || !strings.HasPrefix(err.Error(), wrong.Field) {
		return err
	}
	flag := flagOf(cmd, wrong.Field)
	if flag == "" {
		return err
	}
	rest := fieldInText.ReplaceAllStringFunc(strings.TrimPrefix(err.Error(), wrong.Field), func(name string) string {
		if f := flagOf(cmd, name); f != "" {
			return f
		}
		return name
	})
	return flagError{flag + rest, err}
}

// fieldInText matches names that can only be fields.
var fieldInText = regexp.MustCompile(`\b[a-z]+_[a-z_]+\b|\bfrom$`)

// fieldPath matches a field with its parent and its position in a list, as in sources[0].ref.
var fieldPath = regexp.MustCompile(`^(?:.*\.)?([a-z_]+)(?:\[(\d+)\])?$`)

// flagOf returns the flag of cmd that sets a field, or "".
func flagOf(cmd *cobra.Command, field string) string {
	part := fieldPath.FindStringSubmatch(field)
	if part == nil {
		return ""
	}
	name := strings.ReplaceAll(part[1], "_", "-")
	if known := flagNames[part[1]]; known != "" {
		name = known
	}
	switch {
	case cmd.Flags().Lookup(name) == nil:
		return ""
	case part[2] != "":
		return fmt.Sprintf("--%s[%s]", name, part[2])
	}
	return "--" + name
}

// combinedFlags returns an error for flags that exclude each other.
func combinedFlags(cmd *cobra.Command) (err error) {
	set := map[string][]string{} // by the groups of MarkFlagsMutuallyExclusive
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
			if set[group] = append(set[group], f.Name); err == nil && len(set[group]) > 1 {
				err = usagef("cannot combine --%s", strings.Join(set[group], " with --"))
			}
		}
	})
	return err
}
