package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/clientfile"
)

// These tell in a few words what is wrong with a client's entry.
const (
	hasNoEntry     = "its file has no entry of Loci"
	hasOtherEntry  = "its entry leads to another server"
	hasOldKey      = "its entry has an old key"
	hasNoServer    = "no server runs at the address in its entry"
	hasGoneProgram = "the program in its entry does not exist"
	hasBrokenFile  = "its file cannot be read"
)

// outdated is a client whose file has no entry of this Loci any more, or one that it should not use: a key that is old,
// that Loci does not replace or that others can read, an address where no server runs, a program that does not exist.
// how leads to the fix.
type outdated struct {
	text, how, fix string
	state          string              // "": the client works
	keys           []loci.CredentialID // of the client
}

func (o outdated) String() string { return o.text + "; " + o.how + o.fix }

// outdatedClients finds them.
func (p *program) outdatedClients(ctx context.Context, in *instance, started []startedClient) (list []outdated,
	err error) {
	for _, s := range started {
		if s.gone {
			line := p.connectLine(keyed{client: s.client, connection: s.connection})
			list = append(list, outdated{text: "the program in the entry of " + s.name + " in " + s.file + ", " + s.program +
				", does not exist", how: "run: ", fix: line + " --stdio"})
		}
	}
	keys, err := in.agentKeys(ctx)
	if err != nil {
		return list, err
	}
	list = append(list, p.brokenFiles(keys)...)
	dead, err := p.deadKeys(ctx, in, keys)
	if list = append(list, dead...); err != nil {
		return list, err
	}
	for _, k := range p.keyedEntries(keys) {
		o, err := p.outdatedEntry(ctx, in, keys, k)
		if err != nil {
			return list, err
		}
		if o.text == "" {
			continue
		}
		o.keys = laterKeys(keys, cmp.Or(k.keyID, k.KeyID))
		list = append(list, o)
	}
	return list, nil
}

// laterKeys returns the keys that replaced a key, and that key.
func laterKeys(keys []loci.Credential, id loci.CredentialID) (later []loci.CredentialID) {
	for i := range keys {
		if slices.Contains(replacedKeys(keys, keys[i].ID), id) {
			later = append(later, keys[i].ID)
		}
	}
	return later
}

// brokenFiles finds the clients that were connected and whose files cannot be read, because of a mistake in them or
// their permissions. Such a client cannot use Loci.
func (p *program) brokenFiles(keys []loci.Credential) (list []outdated) {
	for _, c := range clients {
		entries, _ := p.entries(c) // startingClients reports the error
		for _, x := range entries {
			if _, err := x.readFile(x.n.File); err != nil {
				list = append(list, outdated{text: x.name + " cannot use its file " + x.n.File + ": " + clientfile.Fault(err),
					how: "fix the file; to see Loci's entry, run: ", fix: "loci connect " + x.id + " --print",
					state: hasBrokenFile, keys: laterKeys(keys, x.n.KeyID)})
				break
			}
		}
	}
	return list
}

// outdatedEntry has no text if nothing is certainly wrong with the entry.
func (p *program) outdatedEntry(ctx context.Context, in *instance, keys []loci.Credential, k keyed) (o outdated,
	err error) {
	if k.lost != nil {
		o.text, o.state, err = p.lostEntry(ctx, in, keys, k)
		o.how = "to connect it again, run: "
		o.fix = p.connectLine(k) + ", or to revoke its key: loci disconnect " + k.client.id
		return o, err
	}
	fault := p.keyFault(keys, k.keyID)
	switch dead := p.deadAddress(k); {
	case k.stray != nil:
		o = outdated{text: "the " + k.stray.text(k.client, k.File, fault), fix: k.stray.fix}
	case fault != "":
		o = outdated{text: "the key of " + k.client.name + " in " + k.File + " " + fault, how: "for a new one, run: ",
			fix: p.connectLine(k), state: hasOldKey}
	case dead != "":
		o = outdated{text: dead, how: "run: ", fix: p.connectLine(k), state: hasNoServer}
	default:
		o = outdated{text: readableByOthers(k.File), how: "run: ", fix: makePrivate(k.File)}
	}
	return o, nil
}

// readableByOthers tells that other users can read a file with a key, or "". Connect makes such a file private, but the
// client may write it again with another mode.
func readableByOthers(file string) string {
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return ""
	}
	return fmt.Sprintf("other users can read the key in %s (mode %o)", file, info.Mode().Perm())
}

func makePrivate(file string) string { return "chmod 600 " + quoted(file) }

// lostEntry tells what the client's file has instead of the entry that connect wrote. It returns "" if the client may
// still reach this Loci, if nobody can use the key any more, or if the directory of the file is missing: the client may
// be on another machine.
func (p *program) lostEntry(ctx context.Context, in *instance, keys []loci.Credential, k keyed) (text, state string,
	err error) {
	if !slices.ContainsFunc(keys, func(c loci.Credential) bool {
		return keyStatus(&c) == "valid" && comesFrom(keys, &c, k.connection)
	}) {
		return "", "", nil
	}
	value := clientfile.Entry(k.client.format, k.lost.Parsed)
	text = "the entry " + quoted(k.client.format.EntryName()) + " of " + k.client.name + " in " + k.File
	key := clientfile.KeyIn(fmt.Sprint(value))
	switch base := baseIn(value, k.connection); {
	case value == nil:
		if _, err := os.Stat(filepath.Dir(k.File)); err != nil {
			return "", "", nil
		}
		return k.client.name + "'s file " + k.File + " has no entry of Loci", hasNoEntry, nil
	case key != "":
		if known, err := in.hasKey(ctx, key); known || err != nil {
			return "", "", err
		}
		return text + " leads to another Loci", hasOtherEntry, nil
	case clientfile.LeadsToLoci(value):
		dir := p.otherDirectory(value)
		if dir == "" {
			return "", "", nil
		}
		return text + " starts Loci on " + dir, hasOtherEntry, nil
	case base != "" && (base == clientfile.BaseOf(k.URL) || p.runsAt(base)): // the client may use OAuth
		return "", "", nil
	}
	return text + " is not the one that loci connect wrote", hasOtherEntry, nil
}

// hasKey reports whether anybody in the data directory has or had a key.
func (in *instance) hasKey(ctx context.Context, key loci.Secret) (found bool, err error) {
	err = in.inOrgs(ctx, "", func(who loci.Principal) error {
		keys, err := in.app.Identity.OrgKeys(ctx, who)
		found = found || slices.ContainsFunc(keys, func(k loci.Credential) bool { return k.Hash == auth.Hash(key) })
		return err
	})
	return found, err
}

// otherDirectory returns the data directory that an entry names for the Loci that it starts, or "" if it names none or
// that of this command.
func (p *program) otherDirectory(entry map[string]any) string {
	dir := clientfile.DataDir(entry)
	if !filepath.IsAbs(dir) || filepath.Clean(dir) == filepath.Clean(p.settings.DataDir) {
		return ""
	}
	there, err := os.Stat(dir)
	here, failed := os.Stat(p.settings.DataDir)
	if err == nil && failed == nil && os.SameFile(there, here) {
		return ""
	}
	return dir
}

// startedClient is a client that connect lets start loci.
type startedClient struct {
	*client
	*connection
	file, program string
	gone          bool // the program does not exist
}

// startingClients returns the clients that connect lets start loci, if their files still do. It goes on after an error.
func (p *program) startingClients() (list []startedClient, err error) {
	var failed []error
	for _, c := range clients {
		entries, err := p.entries(c)
		failed = append(failed, err)
		for _, x := range entries {
			if s := p.startedBy(x); s != nil {
				list = append(list, *s)
				break
			}
		}
	}
	return list, errors.Join(failed...)
}

// startedBy returns nil if the client's file does not start loci.
func (p *program) startedBy(x entry) *startedClient {
	now, err := x.readFile(x.n.File)
	if x.n.Command == "" || err != nil { // brokenFiles reports the error
		return nil
	}
	own := p.ownEntry(x.client, x.n, nil, now)
	if own == nil {
		return nil
	}
	s := &startedClient{client: x.client, connection: x.n, file: x.n.File}
	if words := clientfile.Words(own.value); len(words) > 0 {
		s.program = words[0]
		_, err = os.Stat(s.program)
		s.gone = errors.Is(err, fs.ErrNotExist)
	}
	return s
}
