package sqlstore

import (
	"bytes"
	"context"

	"github.com/loci-memory/loci"
)

type signIn struct{ *Tx }

// changed adds to the feed that a person signs in differently.
func (t signIn) changed(user loci.UserID) error {
	return t.orgChanged(loci.FeedSignIn, user, loci.Updated, own(user))
}

func (t signIn) Password(_ context.Context, user loci.UserID) (encoded string, err error) {
	found, err := t.c.One("SELECT p.encoded FROM passwords p JOIN users u ON {u} u.id = p.user_id WHERE {p} p.user_id "+
		"= ? AND "+present,
		Args{[16]byte(user)}, func(r Row) error { encoded = r.Text(0); return nil })
	return encoded, orCode(found, err, loci.NotFound, "no password is set")
}

func (t signIn) SetPassword(_ context.Context, user loci.UserID, encoded string) error {
	if err := t.knowsUser(user); err != nil {
		return err
	}
	if err := t.changed(user); err != nil {
		return err
	}
	if encoded == "" {
		return t.c.Exec("DELETE FROM passwords WHERE {passwords} user_id = ?", [16]byte(user))
	}
	return t.c.Exec("INSERT INTO passwords ({org} user_id, encoded) VALUES ({?} ?, ?) ON CONFLICT ({org} user_id) DO "+
		"UPDATE SET encoded = excluded.encoded",
		[16]byte(user), encoded)
}

const passkeysOfUser = "SELECT id, name, data, created_at, last_used_at FROM passkeys WHERE {passkeys} user_id = ? " +
	"ORDER BY created_at, id"

func (t signIn) Passkeys(_ context.Context, user loci.UserID) (list []loci.Passkey, err error) {
	if err := t.knowsUser(user); err != nil {
		if loci.CodeOf(err) == loci.NotFound {
			err = nil // nobody has this passkey
		}
		return nil, err
	}
	err = t.c.Query(passkeysOfUser, Args{[16]byte(user)}, func(r Row) error {
		list = append(list, loci.Passkey{ID: bytes.Clone(r.Raw(0)), Name: r.Text(1), Data: []byte(r.Text(2)),
			CreatedAt: TimeAt(r, 3), LastUsedAt: TimeAt(r, 4)})
		return nil
	})
	return list, err
}

func (t signIn) PutPasskey(_ context.Context, user loci.UserID, k loci.Passkey) error {
	if err := t.knowsUser(user); err != nil {
		return err
	}
	err := t.c.Exec(`INSERT INTO passkeys ({org} id, user_id, name, data, created_at, last_used_at)
		VALUES ({?} ?, ?, ?, ?, ?, ?)
		ON CONFLICT ({org} id) DO UPDATE SET name = excluded.name, data = excluded.data, created_at = excluded.created_at,
		last_used_at = excluded.last_used_at
		WHERE passkeys.user_id = excluded.user_id`,
		k.ID, [16]byte(user), k.Name, string(k.Data), k.CreatedAt.UnixMicro(), micros(k.LastUsedAt))
	if err = orCode(t.c.Changes() > 0, err, loci.Conflict, "this passkey belongs to another user"); err != nil {
		return err
	}
	return t.changed(user)
}

func (t signIn) RemovePasskey(_ context.Context, user loci.UserID, id []byte) error {
	err := t.c.Exec("DELETE FROM passkeys WHERE {passkeys} id = ? AND user_id = ?", id, [16]byte(user))
	if err = orCode(t.c.Changes() > 0, err, loci.NotFound, "no such passkey"); err != nil {
		return err
	}
	return t.changed(user)
}
