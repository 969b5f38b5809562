package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/loci-memory/loci"
)

// A Client with a key can do everything that needs no step-up. Most calls that delete, create keys
// or change roles need a browser sign-in with a fresh proof. If an Error has the code StepUp, its
// StepUpURL is where the person can give that proof.

// Share shares a memory with the person's team.
func (c *Client) Share(ctx context.Context, id loci.MemoryID) (*loci.Memory, error) {
	return one(ctx, c, http.MethodPost, "/memories/"+id.String()+"/share", nil, nil)
}

// Unshare stops sharing a memory with the team.
func (c *Client) Unshare(ctx context.Context, id loci.MemoryID) (*loci.Memory, error) {
	return one(ctx, c, http.MethodPost, "/memories/"+id.String()+"/unshare", nil, nil)
}

// TeamMemories returns one page of the memories that the team shares. It works with any key. If
// limit is 0, it is 20. cursor is "" or the NextCursor of the previous page.
func (c *Client) TeamMemories(ctx context.Context, limit int, cursor string) (*MemoryPage, error) {
	return get[MemoryPage](ctx, c, query("/agent/memories/team", paging(limit, cursor)))
}

// TrashMany moves up to 1,000 memories to the trash, all or none.
func (c *Client) TrashMany(ctx context.Context, ids []loci.MemoryID) (*BulkTrashed, error) {
	return call[BulkTrashed](ctx, c, http.MethodDelete, "/memories", BulkTrash{IDs: ids})
}

// Erase permanently deletes a memory. It fails unless the memory is at atVersion; 0 means any version.
func (c *Client) Erase(ctx context.Context, id loci.MemoryID, atVersion int) error {
	return c.do(ctx, http.MethodDelete, "/memories/"+id.String()+"?permanent=true", version(atVersion), nil, nil)
}

// AgentReplace replaces a memory that the key's vendor wrote, as Replace does.
func (c *Client) AgentReplace(ctx context.Context, id loci.MemoryID, atVersion int, r Replacement) (
	*loci.Memory, error) {
	return one(ctx, c, http.MethodPut, "/agent/memories/"+id.String(), version(atVersion), r)
}

// AgentEdit changes a memory that the key's vendor wrote, as Edit does. Only a person can let more vendors read it.
func (c *Client) AgentEdit(ctx context.Context, id loci.MemoryID, atVersion int, e Edit) (*loci.Memory, error) {
	return one(ctx, c, http.MethodPatch, "/agent/memories/"+id.String(), version(atVersion), e)
}

// AgentTrash moves a memory that the key's vendor wrote to the trash. The org must allow deleting by key.
func (c *Client) AgentTrash(ctx context.Context, id loci.MemoryID, atVersion int) (*DeletedMemory, error) {
	return callAt[DeletedMemory](ctx, c, http.MethodDelete, "/agent/memories/"+id.String(), version(atVersion), nil)
}

// AgentShare shares a memory with the person's team. An agent may share what its vendor wrote.
func (c *Client) AgentShare(ctx context.Context, id loci.MemoryID) (*Shared, error) {
	return send[Shared](ctx, c, "/agent/team/share", ShareRequest{MemoryID: id})
}

// AgentVersions returns old versions that the vendor of the key may read, newest first. limit and
// cursor are as in Versions.
func (c *Client) AgentVersions(ctx context.Context, id loci.MemoryID, limit int, cursor string) (*History, error) {
	return get[History](ctx, c, query("/agent/memories/"+id.String()+"/versions", paging(limit, cursor)))
}

// EmptyTrash permanently deletes everything in the person's trash.
func (c *Client) EmptyTrash(ctx context.Context) (*Emptied, error) {
	return call[Emptied](ctx, c, http.MethodDelete, "/memories/trash", nil)
}

// Me returns the person behind the credential.
func (c *Client) Me(ctx context.Context) (*loci.User, error) {
	return get[loci.User](ctx, c, "/users/me")
}

// RenameMe changes the person's name.
func (c *Client) RenameMe(ctx context.Context, name string) (*loci.User, error) {
	return call[loci.User](ctx, c, http.MethodPatch, "/users/me", Name{name})
}

// DeleteMe deletes the account and all its data. confirm is the account's e-mail address, or its id if it has none.
func (c *Client) DeleteMe(ctx context.Context, confirm string) error {
	return c.do(ctx, http.MethodDelete, "/users/me", nil, Confirmation{confirm}, nil)
}

// Export writes all memories with their versions as JSON lines to w.
func (c *Client) Export(ctx context.Context, w io.Writer) error {
	return c.download(ctx, "/users/me/export", w)
}

// SignInMethods returns the ways in which the person can sign in.
func (c *Client) SignInMethods(ctx context.Context) (*SignInMethods, error) {
	return get[SignInMethods](ctx, c, "/users/me/sign-in")
}

// SignIns returns the person's sign-ins in browsers, newest first.
func (c *Client) SignIns(ctx context.Context) (*SignInList, error) {
	return get[SignInList](ctx, c, "/users/me/sign-ins")
}

// EndSignIn ends a sign-in.
func (c *Client) EndSignIn(ctx context.Context, id loci.CredentialID) error {
	return c.do(ctx, http.MethodDelete, "/users/me/sign-ins/"+id.String(), nil, nil, nil)
}

// EndOtherSignIns ends all sign-ins except the one in use, and returns their number.
func (c *Client) EndOtherSignIns(ctx context.Context) (int, error) {
	out, err := call[Ended](ctx, c, http.MethodPost, "/users/me/sign-ins/end-others", nil)
	if err != nil {
		return 0, err
	}
	return out.Ended, nil
}

// Assistants returns the person's assistants that have no key in the store and no grant.
func (c *Client) Assistants(ctx context.Context) (*AssistantList, error) {
	return get[AssistantList](ctx, c, "/users/me/assistants")
}

// Grants returns the person's grants to OAuth clients.
func (c *Client) Grants(ctx context.Context) (*GrantList, error) {
	return get[GrantList](ctx, c, "/users/me/grants")
}

// RevokeGrant revokes a grant to an OAuth client.
func (c *Client) RevokeGrant(ctx context.Context, id loci.GrantID) error {
	return c.do(ctx, http.MethodDelete, "/users/me/grants/"+id.String(), nil, nil, nil)
}

// EnterWorkspace chooses the active workspace of the credential in use.
func (c *Client) EnterWorkspace(ctx context.Context, id loci.WorkspaceID) error {
	return c.do(ctx, http.MethodPut, "/users/me/workspace", nil, WorkspaceChoice{id}, nil)
}

// Keys returns the person's keys and those of their agents, newest first.
func (c *Client) Keys(ctx context.Context) (*KeyList, error) {
	return get[KeyList](ctx, c, "/keys")
}

// CreateKey creates a key. The server shows its secret only in this answer.
func (c *Client) CreateKey(ctx context.Context, k NewKey) (*MadeKey, error) {
	return send[MadeKey](ctx, c, "/keys", k)
}

// RotateKey creates a key that replaces another one. The old key stays valid for overlapHours.
func (c *Client) RotateKey(ctx context.Context, id loci.CredentialID, overlapHours int) (*MadeKey, error) {
	return send[MadeKey](ctx, c, "/keys/"+id.String()+"/rotate", Rotation{&overlapHours})
}

// RevokeKey revokes a key, effective immediately.
func (c *Client) RevokeKey(ctx context.Context, id loci.CredentialID) error {
	return c.do(ctx, http.MethodDelete, "/keys/"+id.String(), nil, nil, nil)
}

// SetKeyWorkspace chooses the active workspace of a key.
func (c *Client) SetKeyWorkspace(ctx context.Context, id loci.CredentialID, w loci.WorkspaceID) error {
	return c.do(ctx, http.MethodPut, "/keys/"+id.String()+"/workspace", nil, WorkspaceChoice{w}, nil)
}

// values returns query parameters from pairs of a name and a value. It leaves out empty values.
func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v
}

func paging(limit int, cursor string) url.Values {
	return values("limit", number(limit), "cursor", cursor)
}

// number is a number as a value, empty for 0.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// idOf is an id as a value, empty for the zero id.
func idOf[Kind any](id loci.ID[Kind]) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

func call[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	return callAt[T](ctx, c, method, path, nil, body)
}

func callAt[T any](ctx context.Context, c *Client, method, path string, header http.Header, body any) (*T, error) {
	var out T
	if err := c.do(ctx, method, path, header, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}
