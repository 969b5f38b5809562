package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) undoCommands() []*cobra.Command {
	return []*cobra.Command{p.diffCommand(), p.revertCommand(), p.undoCommand()}
}

// undoFlags say which changes are meant.
type undoFlags struct {
	origin, session, credential string
	since, until                string
	org, user                   string
	dryRun                      bool
}

func (p *program) undoCommand() *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Undo what an assistant, a session or a key changed",
		Long: `Undo what an assistant, a session or a key changed in a range of time. Each
memory gets back what it said before the first of these changes, as a new version;
what was made goes to the trash. Nothing is erased, so an undo can be undone: the
report ends with the command. A memory that anything else has changed since is left
alone, and the report says why.

Times are a clock of today (14:00), a day, or a moment, in the time zone of this
machine unless they name one; or a span before now (2h, 3d).`,
		Example: `  loci undo --origin cursor --since 14:00 --dry-run
  loci undo --origin cursor --since 14:00 --until 14:30
  loci undo --session 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e`,
		Args:        cobra.NoArgs,
		Annotations: does(app.Undo),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.selection(time.Now())
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				who, err := in.actFor(cmd.Context(), f.org, f.user)
				if err != nil {
					return err
				}
				report, err := in.app.Undo(cmd.Context(), who, s, f.dryRun)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(report)
				}
				p.printUndo(report, &f)
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.origin, "origin", "", "what this assistant changed (claude, cursor, …), or api, cli, dashboard")
	flags.StringVar(&f.session, "session", "", "what was changed in this session of an agent")
	flags.StringVar(&f.credential, "credential", "", "what was changed with this key (its id)")
	flags.StringVar(&f.since, "since", "", "from then on: 14:00, 2h, or a day or time; needed unless there is --session")
	flags.StringVar(&f.until, "until", "", "before then; left out: until now")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be done, change nothing")
	orgFlag(cmd, &f.org)
	userFlag(cmd, &f.user)
	return cmd
}

func (f *undoFlags) selection(now time.Time) (s loci.UndoSelection, err error) {
	s.Origin = f.origin
	if f.session != "" {
		if s.SessionID, err = parseID[loci.SessionID](f.session, "session of an agent", "loci agent session list"); err != nil {
			return s, err
		}
	}
	if f.credential != "" {
		if s.CredentialID, err = parseID[loci.CredentialID](f.credential, "key", "loci key list"); err != nil {
			return s, err
		}
	}
	if s.Since, err = parseClock("--since", f.since, now); err != nil {
		return s, err
	}
	s.Until, err = parseClock("--until", f.until, now)
	return s, err
}

// parseClock reads a time before now as a person says it: of today, a span ago, or in full. What names no time zone is in that of now.
func parseClock(flag, s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := parseSpan(s); err == nil {
		return now.Add(-d), nil
	}
	for _, layout := range []string{"15:04", "15:04:05"} {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		t = time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, now.Location())
		if t.After(now) {
			return t, loci.FieldErrorf(flag, "is still to come today; name the day as well, like %s", t.AddDate(0, 0, -1).Format("2006-01-02T15:04:05"))
		}
		return t, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, loci.FieldErrorf(flag, "must be a clock of today like 14:00, a span before now like 2h, a day like 2026-01-31 or a time like 2026-01-31T15:04:05Z")
}

func (p *program) printUndo(r *loci.UndoReport, f *undoFlags) {
	p.printf("Changes %s\n", saySelection(&r.Selection))
	if len(r.Undone) > 0 {
		p.printf("\n")
		var rows [][]string
		for _, u := range r.Undone {
			rows = append(rows, []string{u.ID.String(), cut(u.Title, 40), sayUndone(&u)})
		}
		p.printTable([]string{"ID", "TITLE", "BECOMES"}, rows)
	}
	if len(r.LeftAlone) > 0 {
		p.printf("\nLeft alone:\n")
		var rows [][]string
		for _, l := range r.LeftAlone {
			rows = append(rows, []string{l.ID.String(), cut(l.Title, 40), l.Reason})
		}
		p.printTable([]string{"ID", "TITLE", "WHY"}, rows)
	}
	done := "undone"
	if r.DryRun {
		done = "would be undone (nothing was changed)"
	}
	p.printf("\n%d %s, %d left alone", len(r.Undone), done, len(r.LeftAlone))
	if r.Unchanged > 0 {
		p.printf(", %d were as before already", r.Unchanged)
	}
	p.printf("\n")
	if r.Redo != nil {
		p.printf("To take this back: %s\n", redoCommand(r.Redo, f))
	}
}

func sayUndone(u *loci.Undone) string {
	out := "version " + strconv.Itoa(u.BackTo) + " again"
	switch {
	case u.BackTo == 0:
		out = "trashed, as it was made then"
	case u.Change == loci.Restored:
		out += ", out of the trash"
	case u.Change == loci.Trashed:
		out += ", in the trash"
	}
	if u.Note != "" {
		out += "; " + u.Note
	}
	return out
}

func saySelection(s *loci.UndoSelection) string {
	var parts []string
	if s.Origin != "" {
		parts = append(parts, "by "+loci.OneLine(s.Origin))
	}
	if !s.CredentialID.IsZero() {
		parts = append(parts, "with key "+s.CredentialID.String())
	}
	if !s.SessionID.IsZero() {
		parts = append(parts, "in session "+s.SessionID.String())
	}
	if !s.Since.IsZero() {
		parts = append(parts, "from "+s.Since.Local().Format(time.RFC3339))
	}
	if s.Until.IsZero() {
		return strings.Join(append(parts, "until now"), " ")
	}
	return strings.Join(append(parts, "until "+s.Until.Local().Format(time.RFC3339)), " ")
}

// redoCommand is what undoes an undo.
func redoCommand(s *loci.UndoSelection, f *undoFlags) string {
	out := fmt.Sprintf("loci undo --origin %s --since %s --until %s", s.Origin, s.Since.Format(time.RFC3339Nano), s.Until.Format(time.RFC3339Nano))
	if f.org != "" {
		out += " --org " + f.org
	}
	if f.user != "" {
		out += " --user " + f.user
	}
	return out
}
