package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
)

// TestFieldsHaveFlags compares the flags of a command with the fields of its request. An error can
// name any of these fields. The exceptions are fields without a flag and flags without a field.
func TestFieldsHaveFlags(t *testing.T) {
	p := &program{}
	used := map[string]bool{"credential_id": true, "include_superseded": true, "kinds": true, "scopes": true,
		"user_id": true} // of other requests
	for _, tt := range []struct {
		cmd        *cobra.Command
		request    any
		exceptions []string
	}{
		{p.addCommand(), wire.NewMemory{}, []string{"content", "value", "share_scope", "similar", "sources",
			"--file"}},
		{p.editCommand(), wire.Edit{}, []string{"source", "agent_id", "--file", "--if-version"}},
		{p.sourceAddCommand(), wire.NewSource{}, nil},
		{p.sessionCreateCommand(), loci.NewSession{}, nil},
		{p.sessionUpdateCommand(), loci.SessionChange{}, nil},
		{p.agentUpdateCommand(), loci.AgentChange{}, nil},
		{p.projectCreateCommand(), loci.NewProject{}, []string{"name"}},
		{p.agentCreateCommand(), wire.NewAgent{}, []string{"name"}},
		{p.nodeAddCommand(), wire.NewNodeItem{}, []string{"kind", "text", "--type"}},
		{p.eventsLogCommand(), loci.NewEvent{}, []string{"content", "--file", "--lines"}},
		{p.reflectCommand(), loci.NewNotes{}, []string{"content", "--markdown"}},
		{p.reviewEditCommand(), loci.CandidateChange{}, []string{"--if-version"}},
		{p.nodeCreateCommand(), loci.NewNode{}, []string{"name", "scope", "agent_id"}},
	} {
		var flags []string
		for _, field := range jsonNames(reflect.TypeOf(tt.request)) {
			flag := flagOf(tt.cmd, field)
			if (flag == "") != slices.Contains(tt.exceptions, field) {
				t.Errorf("%s: the flag of the field %q is %q; name it in flagNames or in the exceptions", tt.cmd.Use,
					field, flag)
			}
			flags, used[field] = append(flags, flag), true
		}
		tt.cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if slices.Contains([]string{"as", "org", "user"}, f.Name) { // they say who acts
				return
			}
			if flag := "--" + f.Name; slices.Contains(flags, flag) == slices.Contains(tt.exceptions, flag) {
				t.Errorf("%s: no field or exception, or both, for the flag %s", tt.cmd.Use, flag)
			}
		})
	}
	for field, flag := range flagNames {
		if !used[field] || flag == strings.ReplaceAll(field, "_", "-") {
			t.Errorf("flagNames has %q for %q without need", flag, field)
		}
	}
}

// jsonNames returns the names of a struct's fields that the API documents as their main names.
func jsonNames(of reflect.Type) (out []string) {
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name == strings.ToLower(name) {
			out = append(out, name)
		}
	}
	return out
}

// TestEditUsesEveryFlag pins that each flag of edit changes something.
func TestEditUsesEveryFlag(t *testing.T) {
	p := &program{}
	file := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"bool": "true", "int": "5", "expires": "90d", "file": file,
		"valid-from": "90d", "valid-to": "2d"}
	p.editCommand().Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "if-version" { // it changes nothing
			return
		}
		var f memoryFlags
		var content string
		cmd := &cobra.Command{}
		f.add(cmd)
		f.addPlace(cmd)
		cmd.Flags().StringVar(&content, "content", "", "")
		value := "x"
		for _, key := range []string{flag.Value.Type(), flag.Name} {
			if v := values[key]; v != "" {
				value = v
			}
		}
		if err := cmd.Flags().Set(flag.Name, value); err != nil {
			t.Fatalf("--%s %s: %v", flag.Name, value, err)
		}
		patch, err := f.patch(cmd, content, p)
		if err != nil || patch == nil || reflect.ValueOf(*patch).IsZero() {
			t.Errorf("--%s %s is ignored: %+v, %v", flag.Name, value, patch, err)
		}
	})
}
