package gate

import (
	"slices"

	"github.com/loci-memory/loci"
)

// These are the errors of May. They tell the caller what to do, and name no action. An agent cannot
// sign in, so they tell it what to tell the person it works for.

// notFor is the error for a kind of principal that the rule leaves out.
func notFor(p loci.Principal, r Rule) error {
	agent := p.Kind == loci.KindAgent
	switch {
	case slices.Contains(r.Kinds, loci.KindUser) && agent:
		return loci.Errorf(loci.Forbidden, "this is for people, not for agents; ask your person to do it with their own "+
			"key, in the browser at /app/, or with the loci command")
	case slices.Contains(r.Kinds, loci.KindAdmin) && agent:
		return loci.Errorf(loci.Forbidden,
			"this needs an admin; tell your person that only an admin of this server can do it")
	case slices.Contains(r.Kinds, loci.KindAdmin):
		return loci.Errorf(loci.Forbidden, "this needs an admin; ask the operator to run: loci user role %s admin", p.UserID)
	case agent:
		return loci.Errorf(loci.Forbidden,
			"only the operator of this server can do this; tell your person to ask the operator")
	}
	return loci.Errorf(loci.Forbidden,
		"only the operator can do this; ask the operator to use the loci command at the data directory")
}

// lacks is the error for a credential without a right.
func lacks(p loci.Principal, right loci.Right) error {
	if p.Kind == loci.KindAgent {
		return loci.Errorf(loci.Forbidden,
			"this credential lacks the scope %q; ask your person to connect you again and to allow it", right)
	}
	return loci.Errorf(loci.Forbidden, "this credential lacks the scope %q; use one that has it, or create a key with "+
		"that scope", right)
}

func needsRole(role loci.MemberRole) error {
	return loci.Errorf(loci.Forbidden, "this needs the role %s in the org; ask an owner of the org to do it or to give "+
		"you that role", role)
}

// limited is the error for a key that is limited to projects.
func limited(p loci.Principal) error {
	if p.Kind == loci.KindAgent {
		return loci.Errorf(loci.Forbidden, "a key that is limited to projects cannot do this; ask your person for a key "+
			"without that limit")
	}
	return loci.Errorf(loci.Forbidden, "a key that is limited to projects cannot do this; use another key")
}

// needsProof is the error for a credential that can never have a fresh proof.
func needsProof(p loci.Principal, r Rule) error {
	hint := ""
	if r.Are(Deletes) && !r.Are(StepUp) {
		hint = "; an owner can let keys delete with `loci org set " + string(p.OrgID) + " deletion=api_key`"
	}
	agent := p.Kind == loci.KindAgent
	switch {
	case agent && r.Command != "":
		return loci.Errorf(loci.Forbidden, "only your person can do this: ask them to run `%s`%s", r.Command, hint)
	case agent:
		return loci.Errorf(loci.Forbidden,
			"only your person can do this: ask them to do it in their browser at /app/%s", hint)
	case r.Command != "":
		return loci.Errorf(loci.Forbidden, "this needs a browser sign-in with a fresh proof of who you are; a key or token "+
			"is not enough: use `%s` at the data directory%s", r.Command, hint)
	}
	return loci.Errorf(loci.Forbidden, "this needs a browser sign-in with a fresh proof of who you are; a key or token "+
		"is not enough: sign in at /app/%s", hint)
}
