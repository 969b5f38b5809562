package sqlite

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Who is being made is nobody yet, and who is being removed nobody any more.
func TestHalfUsersAreNobody(t *testing.T) {
	for _, state := range []string{"pending", "leaving"} {
		t.Run(state, func(t *testing.T) {
			s, owner := newStore(t, Options{})
			half := loci.UserID{7}
			update(t, s, "INSERT INTO teams (id, name, created_at) VALUES (x'09000000000000000000000000000000', 'team', 0)")
			update(t, s, "INSERT INTO workspaces (id, name, created_at) VALUES (x'08000000000000000000000000000000', 'space', 0)")
			update(t, s, `INSERT INTO users (id, role, org_role, team_id, team_role, state, created_at)
				VALUES (x'07000000000000000000000000000000', 'user', 'owner', x'09000000000000000000000000000000', 'member', '`+state+`', 0)`)
			update(t, s, "INSERT INTO passwords VALUES (x'07000000000000000000000000000000', '$argon2id$x')")
			update(t, s, "INSERT INTO passkeys VALUES (x'01', x'07000000000000000000000000000000', '', '{}', 0, NULL)")
			update(t, s, "INSERT INTO workspace_members VALUES (x'07000000000000000000000000000000', x'08000000000000000000000000000000')")
			team, space := loci.TeamID{9}, loci.WorkspaceID{8}
			err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
				want := func(what string, err error) {
					t.Helper()
					if loci.CodeOf(err) != loci.NotFound {
						t.Errorf("%s: %v, want NotFound", what, err)
					}
				}
				_, err := tx.Users().Get(bg, half)
				want("Get", err)
				_, err = tx.SignIn().Password(bg, half)
				want("Password", err)
				want("Update", tx.Users().Update(bg, loci.User{ID: half, Role: loci.RoleUser, OrgRole: loci.Member}))
				want("Insert", tx.Memories().Insert(bg, newMemory(half, "a")))
				want("SetPassword", tx.SignIn().SetPassword(bg, half, "$argon2id$y"))
				want("PutPasskey", tx.SignIn().PutPasskey(bg, half, loci.Passkey{ID: []byte{2}, Data: []byte("{}")}))
				want("Join", tx.Workspaces().Join(bg, space, half))
				m := newMemory(owner, "mine")
				if err := tx.Memories().Insert(bg, m); err != nil {
					return err
				}
				m.Version, m.UserID = 2, half
				want("Replace", tx.Memories().Replace(bg, m))
				return nil
			})
			if err != nil {
				t.Fatal(explain(err))
			}
			err = s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
				list, err := tx.Users().List(bg, loci.UserID{}, 10)
				if len(list) != 1 || list[0].ID != owner || err != nil {
					t.Errorf("List: %v, %v", list, err)
				}
				if list, err = tx.Users().Team(bg, team); len(list) != 0 || err != nil {
					t.Errorf("Team: %v, %v", list, err)
				}
				if n, err := tx.Users().Owners(bg); n != 1 || err != nil {
					t.Errorf("Owners: %d, %v", n, err)
				}
				if keys, err := tx.SignIn().Passkeys(bg, half); len(keys) != 0 || err != nil {
					t.Errorf("Passkeys: %v, %v", keys, err)
				}
				if ids, err := tx.Workspaces().Members(bg, space); len(ids) != 0 || err != nil {
					t.Errorf("Members: %v, %v", ids, err)
				}
				if list, err := tx.Workspaces().Of(bg, half); len(list) != 0 || err != nil {
					t.Errorf("Of: %v, %v", list, err)
				}
				return tx.Teams().Delete(bg, team)
			})
			if err != nil {
				t.Error(explain(err))
			}
		})
	}
}
