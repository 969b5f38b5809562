package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
)

// sessionFlag adds --session, which during reads.
func sessionFlag(cmd *cobra.Command, session *string) {
	cmd.Flags().StringVar(session, "session", "", "as a part of this session of an agent (loci agent session open)")
}

// during returns who as a part of the session that --session names; "" is none.
func (in *instance) during(ctx context.Context, who loci.Principal, session string) (loci.Principal, error) {
	p, err := in.auth.InNamedSession(ctx, who, session)
	switch loci.CodeOf(err) {
	case loci.Invalid:
		return p, loci.FieldErrorf("--session", "names no session that is open; `loci agent session list` shows them")
	case loci.Conflict:
		return p, loci.Errorf(loci.Conflict, "the session %s is closed; open another one with: loci agent session open", cut(session, 36))
	}
	return p, err
}
