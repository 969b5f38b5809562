package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
)

// EraseBatch is how many rows one transaction erases. It keeps the transactions of a removal
// short, so that writers do not wait.
const EraseBatch = 200

// MarkLeaving hides a user, so that their data can be erased in several transactions.
func (tx *Tx) MarkLeaving(ctx context.Context, user loci.UserID) error {
	u, err := tx.Users().Get(ctx, user)
	if loci.CodeOf(err) == loci.NotFound {
		return nil // they are hidden already
	}
	if err == nil {
		err = tx.c.Exec("UPDATE users SET state = 'leaving', team_id = NULL, team_role = NULL WHERE {users} id = ? AND "+
			"state IN ('active', 'disabled')", [16]byte(user))
	}
	if err != nil {
		return err
	}
	return tx.memberChanged(&u, nil)
}

// RemoveUser removes a user's row and everything that the user has still written.
func (tx *Tx) RemoveUser(ctx context.Context, user loci.UserID) error {
	for n := EraseBatch; n == EraseBatch; {
		var err error
		if n, err = tx.Memories().EraseOf(ctx, user, EraseBatch); err != nil {
			return err
		}
	}
	if err := tx.eraseStructured(ctx, user); err != nil {
		return err
	}
	return tx.c.Exec("DELETE FROM users WHERE {users} id = ?", [16]byte(user))
}

// eraseStructured erases what a person wrote other than memories.
func (tx *Tx) eraseStructured(ctx context.Context, user loci.UserID) error {
	for n := EraseBatch; n == EraseBatch; {
		var err error
		if n, err = (memoryNodes{tx}).eraseAll(EraseBatch, "m.user_id = ?", [16]byte(user)); err != nil {
			return err
		}
	}
	if err := (memoryNodes{tx}).eraseItemsOf(user); err != nil {
		return err
	}
	if err := (sessions{tx}).eraseOf(user); err != nil {
		return err
	}
	if err := (packs{tx}).Leave(ctx, user, [16]byte{}); err != nil {
		return err
	}
	for table, kind := range map[string]loci.FeedKind{"tasks": loci.FeedTask, "candidates": loci.FeedCandidate} {
		if _, err := tx.eraseWork(kind, table, "s.user_id = ?", [16]byte(user)); err != nil {
			return err
		}
	}
	for _, table := range []string{"assets", "sources", "reflections", "golden_questions", "golden_runs"} {
		if err := tx.c.Exec("DELETE FROM "+table+" WHERE {"+table+"} user_id = ?", [16]byte(user)); err != nil {
			return err
		}
	}
	return nil
}
