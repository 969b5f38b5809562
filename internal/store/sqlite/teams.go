package sqlite

import (
	"context"
	"errors"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

type teams struct{ *tx }

func noTeam() error { return loci.Errorf(loci.NotFound, "no such team") }

// nameTaken says whether another row of a table of few rows has that name, in
// whatever case: SQLite itself folds only ASCII.
func (tx *tx) nameTaken(table, name string, except [16]byte) (taken bool, err error) {
	err = tx.c.Query("SELECT name FROM "+table+" WHERE id <> ?", sqlitedb.Args{except}, func(r *sqlitedb.Row) error {
		if strings.EqualFold(r.Text(0), name) {
			taken = true
			return sqlitedb.ErrStop
		}
		return nil
	})
	return taken, err
}

// there says whether sql finds a row.
func (tx *tx) there(sql string, args ...any) (bool, error) {
	return tx.c.One(sql, args, func(*sqlitedb.Row) error { return nil })
}

func (t teams) Insert(_ context.Context, team loci.Team) error {
	taken, err := t.nameTaken("teams", team.Name, [16]byte{})
	if err == nil && !taken {
		err = t.c.Exec("INSERT INTO teams (id, name, created_at) VALUES (?, ?, ?)", [16]byte(team.ID), team.Name, team.CreatedAt.UnixMicro())
	}
	if taken || errors.Is(err, sqlitedb.ErrConstraintUnique) {
		return loci.WrapError(loci.Conflict, err, "there is a team of that name")
	}
	return err
}

func scanTeam(r *sqlitedb.Row) loci.Team {
	return loci.Team{ID: r.ID(0), Name: r.Text(1), CreatedAt: timeAt(r, 2)}
}

func (t teams) Get(_ context.Context, id loci.TeamID) (team loci.Team, err error) {
	found, err := t.c.One("SELECT id, name, created_at FROM teams WHERE id = ?", sqlitedb.Args{[16]byte(id)},
		func(r *sqlitedb.Row) error { team = scanTeam(r); return nil })
	if err == nil && !found {
		err = noTeam()
	}
	return team, err
}

func (t teams) List(context.Context) (list []loci.Team, err error) {
	err = t.c.Query("SELECT id, name, created_at FROM teams ORDER BY name", nil,
		func(r *sqlitedb.Row) error { list = append(list, scanTeam(r)); return nil })
	return list, err
}

func (t teams) Rename(ctx context.Context, id loci.TeamID, name string) error {
	if _, err := t.Get(ctx, id); err != nil {
		return err
	}
	taken, err := t.nameTaken("teams", name, id)
	if err == nil && taken {
		err = loci.Errorf(loci.Conflict, "there is a team of that name")
	}
	if err != nil {
		return err
	}
	return t.c.Exec("UPDATE teams SET name = ? WHERE id = ?", name, [16]byte(id))
}

const (
	sharedWithTeam = "SELECT 1 FROM memories WHERE team_id = ? LIMIT 1"
	nodesOfTeam    = "SELECT 1 FROM memory_nodes WHERE team_id = ? LIMIT 1"
)

func (t teams) Delete(ctx context.Context, id loci.TeamID) error {
	if _, err := t.Get(ctx, id); err != nil {
		return err
	}
	// Whoever is being made or removed is nobody and holds nothing.
	err := t.c.Exec("UPDATE users SET team_id = NULL, team_role = NULL WHERE team_id = ? AND state NOT IN ('active', 'disabled')", [16]byte(id))
	if err != nil {
		return err
	}
	shared, err := t.there(sharedWithTeam, [16]byte(id))
	if err == nil && !shared {
		shared, err = t.there(nodesOfTeam, [16]byte(id))
	}
	if err != nil {
		return err
	}
	if shared {
		return loci.Errorf(loci.Conflict, "the team still has memories or memory nodes")
	}
	err = t.c.Exec("DELETE FROM teams WHERE id = ?", [16]byte(id))
	if errors.Is(err, sqlitedb.ErrConstraintForeignKey) {
		return loci.WrapError(loci.Conflict, err, "the team still has members")
	}
	return err
}
