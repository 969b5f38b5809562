package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

type undoFlags struct {
	session, credential string
	dryRun              bool
}

func (p *program) undoCommand() *cobra.Command {
	var f undoFlags
	var s loci.UndoSelection
	cmd := p.acting(pickPerson, &cobra.Command{
		Use:   "undo",
		Short: "Undo what an assistant, a session or a key changed",
		Long: `Undo what an assistant, a session or a key did to memories in a range of time. Tasks,
events, memory nodes and graphs stay as they are. Each memory returns, as a new version,
to its state before the first of these changes. Memories created in that time move to the
trash. Loci deletes nothing permanently, so you can undo an undo: the report ends with the
command. Loci leaves a memory alone if anything else has changed it since, and the report
says why.

A time is a time of today (14:00), a day, a full time, yesterday, or a span before now
(2h, 3d). It is in the time zone of this machine unless it names one.`,
		Example: `  loci undo --origin cursor --since 14:00 --dry-run
  loci undo --origin cursor --since 14:00 --until 14:30
  loci undo --session 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e`,
		Annotations: does(memory.Undo, memory.UndoPlan),
	}, func(ctx context.Context, c *call) error {
		if err := f.resolve(ctx, c, &s); err != nil {
			return err
		}
		report, err := followed(ctx, p, func(ctx context.Context) (*loci.UndoReport, error) {
			return c.app.Memory.Undo(ctx, c.who, s, f.dryRun)
		})
		if err != nil || p.json {
			return p.answer(report, err, "")
		}
		p.paged(func() { p.printUndo(report, c.actor) })
		return nil
	})
	flags := cmd.Flags()
	flags.StringVar(&s.Origin, "origin", "", "changes by this assistant (claude, cursor, …), or by api, cli or dashboard")
	flags.StringVar(&f.session, "session", "", "changes in this session, by id or title")
	flags.StringVar(&f.credential, "credential", "", "changes with this key, by id or name")
	timeFlag(cmd, &s.Since, "since",
		"changes from then on: 14:00, 2h, yesterday or another time; required without --session", parsePast)
	timeFlag(cmd, &s.Until, "until", "changes before then (default: now)", parsePast)
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the report, but change nothing")
	return cmd
}

// resolve finds the session and the key that the flags name.
func (f *undoFlags) resolve(ctx context.Context, c *call, s *loci.UndoSelection) (err error) {
	if f.session != "" {
		if s.SessionID, err = c.sessionID(ctx, c.who, f.session); err != nil {
			return err
		}
	}
	if f.credential == "" {
		return nil
	}
	var all []loci.Credential
	for _, kind := range []loci.Kind{loci.KindUser, loci.KindAgent} {
		keys, err := c.keys(ctx, string(c.who.OrgID), kind)
		if err != nil {
			return err
		}
		all = append(all, keys...)
	}
	k, err := findNamed(all, nil, f.credential, func(k loci.Credential) (string, string) { return k.ID.String(), k.Name },
		"key", "loci key list --all")
	s.CredentialID = k.ID
	return err
}

func (p *program) printUndo(r *loci.UndoReport, a *actor) {
	p.printf("Changes %s\n", showSelection(&r.Selection))
	if len(r.Undone) > 0 {
		p.printf("\n")
		printRows(p, "TITLE|ID|BECOMES", r.Undone, func(u loci.Undone) []string {
			return []string{cut(u.Title, 60), u.ID.String(), showUndone(&u)}
		})
	}
	if len(r.LeftAlone) > 0 {
		p.printf("\nLeft alone:\n")
		printRows(p, "TITLE|ID|WHY", r.LeftAlone, func(l loci.LeftAlone) []string {
			return []string{cut(l.Title, 60), l.ID.String(), l.Reason}
		})
	}
	if len(r.StillSuperseded) > 0 {
		p.printf("\n")
	}
	p.printReplaced(r.StillSuperseded, a)
	done := "Undone"
	if r.DryRun {
		done = "Would undo"
	}
	p.printf("\n%s: %s, %d left alone", done, loci.Plural(len(r.Undone), "memory", "memories"), len(r.LeftAlone))
	if r.Unchanged > 0 {
		p.printf(", %d already unchanged", r.Unchanged)
	}
	p.printf("\n")
	if r.Redo != nil {
		p.printf("To reverse this undo: %s\n", p.onSameData(fmt.Sprintf("loci undo --origin %s --since %s --until %s%s",
			r.Redo.Origin, r.Redo.Since.Format(time.RFC3339Nano), r.Redo.Until.Format(time.RFC3339Nano), a.flags())))
	}
}

func showUndone(u *loci.Undone) string {
	out := "back to version " + strconv.Itoa(u.BackTo)
	switch {
	case u.BackTo == 0:
		out = "trashed: it was created then"
	case u.Change == loci.Restored:
		out += ", restored from the trash"
	case u.Change == loci.Trashed:
		out += ", in the trash"
	}
	if u.Note != "" {
		out += "; " + u.Note
	}
	return out
}

func showSelection(s *loci.UndoSelection) string {
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

// flags are those that make another command act for the same person. a is nil for the operator.
func (a *actor) flags() (out string) {
	if a == nil {
		return ""
	}
	if a.org != "" {
		out += " --org " + a.org
	}
	if a.user != "" {
		out += " --user " + a.user
	}
	return out
}

// printReplaced prints the memories that nobody recalls because their successor is trashed, each with the way back.
func (p *program) printReplaced(list []loci.StillSuperseded, a *actor) {
	for _, m := range list {
		way := fmt.Sprintf("loci revert %s %d%s", m.ID, m.RevertTo, a.flags())
		if m.RevertTo == 0 {
			way = fmt.Sprintf("loci history %s%s, then loci revert", m.ID, a.flags())
		}
		p.printf("Stays replaced by %s: %s; to bring it back: %s\n", m.SupersededBy, cut(m.Title, 60),
			p.onSameData(way))
	}
}
