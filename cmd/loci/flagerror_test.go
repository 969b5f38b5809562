package main

import (
	"errors"
	"testing"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
)

func TestErrorsNameFlags(t *testing.T) {
	p := &program{}
	add, undo := p.addCommand(), p.undoCommand()
	tests := []struct {
		name string
		cmd  *cobra.Command
		err  error
		want string
	}{
		{"the same name", add, loci.FieldErrorf("importance", "must be from 1 to 10"), "--importance must be from 1 to 10"},
		{"another name", add, loci.FieldErrorf("project_id", "is required when scope is %q", "project"),
			`--project is required when scope is "project"`},
		{"an entry of a list", add, loci.FieldErrorf("supersedes[1]", "names no memory"), "--supersedes[1] names no memory"},
		{"a part", p.sourceAddCommand(), loci.FieldErrorf("sources[0].ref", "must not be empty"), "--ref must not be empty"},
		{"several fields", add, loci.FieldErrorf("ttl", "and expires_at say the same"), "--ttl and --expires say the same"},
		{"fields of a selection", undo, loci.FieldErrorf("origin", "or credential_id or session_id is needed"),
			"--origin or --credential or --session is needed"},
		{"no flag", undo, loci.FieldErrorf("content", "must not be empty"), "content must not be empty"},
		{"a flag already", undo, loci.FieldErrorf("--since", "is to come"), "--since is to come"},
		{"a text that begins otherwise", add, &loci.Error{Code: loci.Invalid, Field: "scope", Text: "no scope"}, "no scope"},
		{"no field", add, errors.New("failed"), "failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := inFlags(tt.cmd, tt.err)
			if got.Error() != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if loci.CodeOf(got) != loci.CodeOf(tt.err) || loci.FieldOf(got) != loci.FieldOf(tt.err) {
				t.Errorf("the code or the field was lost")
			}
		})
	}
}
