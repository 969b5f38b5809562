package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loci-memory/loci"
)

// This file has Loci's own words for wrong command lines. Those of the libraries name functions of Go and no way out.

// didYouMean proposes the nearest of the known names, or returns "".
func didYouMean(name string, known []string) string {
	near := loci.Nearest(name, known, 1)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + quoted(near[0]) + "?"
}

// flagMistake describes a flag that cannot be read.
func flagMistake(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			if len(short) > 1 {
				return fmt.Errorf("unknown flag -%s%s", cut(short, 60), afterDashes)
			}
			return fmt.Errorf("unknown flag -%s", short)
		}
		name := "--" + cut(unknown.GetSpecifiedName(), 60)
		if strings.ContainsFunc(name, unicode.IsSpace) {
			return fmt.Errorf("unknown flag %s%s", name, afterDashes)
		}
		return fmt.Errorf("unknown flag %s%s", name, flagMeant(cmd, name))
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return fmt.Errorf("--%s requires a value", missing.GetFlag().Name)
	}
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	takes := "must be a whole number"
	if ours, ok := errors.AsType[*loci.Error](err); ok {
		takes = ours.Text
	} else if _, ok := errors.AsType[*strconv.NumError](err); !ok {
		return err
	} else if invalid.GetFlag().Value.Type() == "bool" {
		takes = "must be true or false"
	}
	return fmt.Errorf("--%s %s", invalid.GetFlag().Name, takes)
}

// flagMeant proposes the flag of cmd with the nearest name, or else the one for the field of the API with the nearest
// name, or returns "".
func flagMeant(cmd *cobra.Command, name string) string {
	var known, fields []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	if hint := otherwise[cmd.Name()+" "+name]; hint != "" {
		return hint
	}
	if near := didYouMean(name, known); near != "" {
		return near
	}
	for field := range flagNames {
		if flagOf(cmd, field) != "" {
			fields = append(fields, field)
		}
	}
	near := loci.Nearest(strings.ReplaceAll(strings.TrimPrefix(name, "--"), "-", "_"), fields, 1)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + flagOf(cmd, near[0]) + "?"
}

// otherwise says for a command and a flag that it does not have how people get what they want by it.
var otherwise = map[string]string{
	"recall --why":   "; recall shows why without a flag",
	"show --version": "; loci history prints the versions of a memory, and loci diff compares two",
}

const afterDashes = "; put -- before text that begins with a dash"

// missingFlags returns an error about required flags that were left out.
func missingFlags(cmd *cobra.Command) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if len(f.Annotations[cobra.BashCompOneRequiredFlag]) > 0 && !f.Changed {
			names = append(names, "--"+f.Name)
		}
	})
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("missing %s", strings.Join(names, " and "))
}

// checkLimit rejects a page size below 1. Without the flag, the default applies.
func checkLimit(cmd *cobra.Command) error {
	f := cmd.Flags().Lookup("limit")
	if f == nil || !f.Changed {
		return nil
	}
	if n, err := strconv.Atoi(f.Value.String()); err == nil && n < 1 {
		return loci.FieldErrorf("--limit", "must be at least 1")
	}
	return nil
}

// choices are flags that choose whose data a command is about, or limit it. Without one, it is about the person's own,
// or about everything.
var choices = []string{"data-dir", "as", "org", "user", "session", "written-in", "project", "agent", "workspace",
	"origin", "vendor", "credential"}

// checkEmpty rejects a choice without a value, such as that of an unset variable in a script. "loci connect --project"
// takes one: it removes the project.
func checkEmpty(cmd *cobra.Command) error {
	for _, name := range choices {
		f := cmd.Flags().Lookup(name)
		removes := cmd.Name() == "connect" && name == "project"
		if f != nil && f.Changed && strings.TrimSpace(f.Value.String()) == "" && !removes {
			return loci.FieldErrorf("--"+name, "must not be empty; for the default, leave it out")
		}
	}
	return nil
}

// noteTags notes a comma in --tag, which belongs to the tag: --allow and other lists are split there.
func (p *program) noteTags(flags *pflag.FlagSet) {
	f := flags.Lookup("tag")
	if f == nil {
		return
	}
	tags := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		tags = list.GetSlice()
	}
	for _, tag := range tags {
		if strings.Contains(tag, ",") {
			p.note("note: --tag: one tag named %q; repeat --tag for several", cut(tag, 60))
		}
	}
}

// takeArguments lets a command and those below it take the arguments that their use lines name.
func takeArguments(cmd *cobra.Command) {
	if cmd.Args == nil {
		cmd.Args = argumentsOf(cmd.Use)
	}
	for _, c := range cmd.Commands() {
		takeArguments(c)
	}
}

// argumentsOf reads a use line: a command takes one argument for each NAME, none or one for [NAME], one or more for
// NAME…, and none or more for [NAME…]. Flags come last.
func argumentsOf(use string) cobra.PositionalArgs {
	words, _, _ := strings.Cut(use, " --")
	names := strings.Fields(words)[1:]
	var required []string
	for _, name := range names {
		if name[0] != '[' {
			required = append(required, name)
		}
	}
	return func(cmd *cobra.Command, args []string) error {
		switch n := len(args); {
		case n > 0 && cmd.HasSubCommands() && len(names) == 0:
			return unknownCommand(cmd, args[0])
		case n < len(required):
			return fmt.Errorf("missing %s; usage: %s", strings.TrimSuffix(required[n], "…"), usageOf(cmd))
		case n > len(names) && !strings.Contains(words, "…"):
			return fmt.Errorf("unexpected argument %s; usage: %s", quoted(cut(args[len(names)], 60)), usageOf(cmd))
		}
		return nil
	}
}

// refuseUnknown makes the commands help and completion of the library fail for a name that they don't know. They only
// show their help otherwise, and succeed.
func refuseUnknown(root *cobra.Command, args []string) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				below := root
				for _, name := range args {
					next, _, err := below.Find([]string{name})
					if err != nil || next == below {
						return unknownCommand(below, name)
					}
					below = next
				}
				return nil
			}
		case "completion":
			cmd.Args = argumentsOf(cmd.Use)
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

func usageOf(cmd *cobra.Command) string { return cmd.Parent().CommandPath() + " " + cmd.Use }

func unknownCommand(cmd *cobra.Command, name string) error {
	if cmd.Parent() == nil && slices.Contains([]string{"delete", "remove", "rm"}, name) {
		return fmt.Errorf("unknown command %s; to move a memory to the trash, run: loci trash ID", name)
	}
	if cmd.Parent() == nil && slices.Contains([]string{"tag", "tags"}, name) {
		return fmt.Errorf("unknown command %s; to list memories by their tag, run: loci list --tag TAG", name)
	}
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(append(known, c.Name()), c.Aliases...)
		}
	}
	return fmt.Errorf("unknown command %s of %s%s", quoted(cut(name, 60)), cmd.CommandPath(), didYouMean(name, known))
}

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
