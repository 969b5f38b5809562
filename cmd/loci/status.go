package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
)

// status is what `loci status` prints.
type status struct {
	Running  bool        `json:"running"`
	URL      string      `json:"url"` // of the server; "": the settings do not tell
	Servers  []running   `json:"servers"`
	Version  string      `json:"version"`
	DataDir  string      `json:"data_dir"`
	Bytes    int64       `json:"data_bytes"`
	Memories int         `json:"memories"` // how many of the owner of this machine's memories are true now
	Meaning  meaning     `json:"meaning"`
	Clients  []clientUse `json:"clients"`
	People   int         `json:"person_keys"`         // valid keys of people, which no vendor limits
	Limited  int         `json:"limited_person_keys"` // how many of them are limited to scopes or projects
	Capture  string      `json:"capture,omitempty"`   // the settings by which Claude Code logs what it does
	Warnings []string    `json:"warnings"`

	start string // the command that starts the server
}

// meaning is how far searches by meaning are, in all orgs of this machine together.
type meaning struct {
	Model   string `json:"model"`   // of embeddings; off: searches find by words only
	Vectors int    `json:"vectors"` // memories that have a vector of the model
	Waiting int    `json:"waiting"` // memories whose vectors must be made
	all     int    // memories that have a vector or wait for one
}

// clientUse is a client that has access, and when it was last used.
type clientUse struct {
	Name     string      `json:"name"`
	Vendor   loci.Vendor `json:"vendor"`
	How      string      `json:"how"` // key, OAuth, environment or stdio
	LastUsed time.Time   `json:"last_used_at,omitzero"`
	State    string      `json:"state,omitempty"` // what keeps it from working; "": nothing that Loci knows of

	key loci.CredentialID
}

func (p *program) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the server, the data directory and the connected clients",
		Long: `Show where the server runs, which version it has, where the data is, whether searches
find by meaning, and which clients have access, with their keys. STATE tells what is wrong
with a client's file. The command counts the keys of people, which "loci key list --all"
shows, and the memories that a search finds. "loci list" also has those that are not true yet
or any more. To check the files, run loci doctor.`,
		Annotations: does(agent.Read, memory.Briefing, identity.KeyListAll, identity.GrantListAll, org.List),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := p.status(cmd.Context())
			if err != nil {
				return err
			}
			for i, text := range s.Warnings {
				s.Warnings[i] = p.onSameData(text)
			}
			if p.json {
				return p.printJSON(s)
			}
			p.printStatus(s)
			return nil
		},
	}
}

func (p *program) status(ctx context.Context) (*status, error) {
	server := p.server()
	s := &status{Running: server.PID != 0, URL: server.URL, Servers: loci.OrEmpty(p.servers()),
		Version: readBuildInfo().Version, DataDir: p.settings.DataDir, Meaning: meaning{Model: p.settings.chosenModel()},
		Clients: []clientUse{}, Warnings: loci.OrEmpty(p.settings.warnings()), start: p.serveLine(ctx)}
	if !s.Running && p.answererAt(ctx, server.Listen) == otherLoci {
		s.Warnings = append(s.Warnings, p.whatAnswers(server.Listen)+"; "+p.besideOther(server.Listen))
	}
	for _, r := range s.Servers {
		if r.Version != s.Version {
			s.Warnings = append(s.Warnings, "the server at "+r.URL+" has version "+r.Version+"; start it again")
		}
	}
	if err := p.settings.unusable(refuse); err != nil || hasNoData(p.settings.DataDir) {
		return s, err
	}
	s.Bytes = bytesIn(p.settings.DataDir)
	return s, p.with(ctx, refuse, func(in *instance) error {
		var err error
		if s.Memories, err = in.app.Memory.Count(ctx, in.operator); err != nil {
			return err
		}
		if s.Meaning, err = in.meaning(ctx, s.Meaning.Model); err != nil {
			return err
		}
		err = in.inOrgs(ctx, "", func(who loci.Principal) error { return in.addClients(ctx, who, s) })
		if err != nil {
			return err
		}
		renamed, err := in.renamedAgents(ctx)
		for _, text := range renamed {
			s.Warnings = append(s.Warnings, text+"; "+fixRenamed)
		}
		if err != nil {
			return err
		}
		assistants, err := in.app.Identity.Assistants(ctx, in.operator)
		if err != nil {
			return err
		}
		started, err := p.startingClients()
		if err != nil {
			s.Warnings = append(s.Warnings, loci.OneLine(err.Error()))
		}
		old, err := p.outdatedClients(ctx, in, started)
		s.addOutdated(old)
		s.Capture, _ = p.captures()
		if fault := p.captureFault(); fault.text != "" {
			s.Warnings = append(s.Warnings, fault.String())
		}
		s.addAssistants(assistants, started)
		slices.SortStableFunc(s.Clients, func(a, b clientUse) int { return b.LastUsed.Compare(a.LastUsed) })
		return err
	})
}

// meaning counts the vectors of the model in use. If an org has those of two versions of it, the least complete count:
// searches use the others until they are.
func (in *instance) meaning(ctx context.Context, model string) (meaning, error) {
	sum := meaning{Model: model}
	if model == embed.Off {
		return sum, nil
	}
	err := in.inOrgs(ctx, "", func(who loci.Principal) error {
		sets, err := in.vectorStats(ctx, who.OrgID)
		sets = slices.DeleteFunc(sets, func(x indexJSON) bool { return !x.InUse })
		if err != nil || len(sets) == 0 {
			return err
		}
		last := slices.MaxFunc(sets, func(a, b indexJSON) int { return cmp.Compare(a.Waiting, b.Waiting) })
		sum.Vectors, sum.Waiting, sum.all = sum.Vectors+last.Rows, sum.Waiting+last.Waiting, sum.all+last.all
		return nil
	})
	return sum, err
}

// showMeaning says it in a line.
func (p *program) showMeaning(m meaning) string {
	switch {
	case m.Model == embed.Off:
		return "off; to search by meaning, run: " + p.onSameData("loci models use "+embed.BuiltIn)
	case m.Waiting == 0:
		return loci.OneLine(cut(m.Model, 100))
	}
	return fmt.Sprintf("%s; %s of %s can be found by it", loci.OneLine(cut(m.Model, 100)), loci.Thousands(m.Vectors),
		loci.Plural(m.all, "memory", "memories"))
}

// addAssistants adds the assistants without a stored credential. Those that start loci are known by their files, or by
// their vendor's use only.
func (s *status) addAssistants(list []loci.Credential, started []startedClient) {
	used := map[loci.Vendor]time.Time{}
	for _, a := range list {
		use := clientUse{Name: a.Name, Vendor: a.Vendor, How: overStdio, LastUsed: a.LastUsedAt}
		if a.Method == loci.ByEnvironment {
			use.How = string(a.Method)
		} else if used[a.Vendor] = a.LastUsedAt; slices.ContainsFunc(started,
			func(c startedClient) bool { return c.vendor == a.Vendor }) {
			continue
		}
		s.Clients = append(s.Clients, use)
	}
	for _, c := range started {
		use := clientUse{Name: c.name, Vendor: c.vendor, How: overStdio, LastUsed: used[c.vendor]}
		if c.gone {
			use.State = hasGoneProgram
		}
		s.Clients = append(s.Clients, use)
	}
}

func (s *status) addOutdated(list []outdated) {
	for _, o := range list {
		s.Warnings = append(s.Warnings, o.String())
		for i := range s.Clients {
			if c := &s.Clients[i]; o.state != "" && slices.Contains(o.keys, c.key) {
				c.State = o.state
			}
		}
	}
}

func (in *instance) addClients(ctx context.Context, who loci.Principal, s *status) error {
	keys, err := in.app.Identity.OrgKeys(ctx, who)
	if err != nil {
		return err
	}
	rows := map[loci.CredentialID]int{} // a rotated key and its successor are one client
	for _, k := range keys {            // the newest first
		row, replaced := rows[k.ID]
		if k.Kind == loci.KindUser && keyStatus(&k) == "valid" {
			s.People++
			if len(k.Rights)+len(k.ProjectIDs) > 0 {
				s.Limited++
			}
		}
		if !replaced && (k.Kind != loci.KindAgent || keyStatus(&k) != "valid") {
			continue
		}
		if !replaced {
			row = len(s.Clients)
			s.Clients = append(s.Clients, clientUse{k.Name, k.Vendor, "key", k.LastUsedAt, "", k.ID})
		} else if c := &s.Clients[row]; k.LastUsedAt.After(c.LastUsed) {
			c.LastUsed = k.LastUsedAt
		}
		rows[k.Replaces] = row
	}
	grants, err := in.app.Identity.OrgGrants(ctx, who)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if grantStatus(&g) == "valid" {
			s.Clients = append(s.Clients, clientUse{Name: g.ClientName, Vendor: g.Vendor, How: "OAuth", LastUsed: g.LastUsedAt})
		}
	}
	return nil
}

// bytesIn returns the size of the files below a directory, which may be a link.
func bytesIn(dir string) int64 {
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	return maintain.SizeOf(dir)
}

func (p *program) printStatus(s *status) {
	server := "not running; start it with: " + s.start
	if s.Running {
		server = "running at " + s.URL
	}
	others := ""
	for _, r := range s.Servers {
		if r.URL != s.URL {
			others += r.URL + " "
		}
	}
	data := s.DataDir + ", " + loci.ShowBytes(s.Bytes)
	if s.Bytes == 0 {
		data = s.DataDir + ", empty"
	}
	memories := loci.Thousands(s.Memories)
	if s.Memories > 0 {
		memories += " current"
	}
	p.printFields("server", server, "also at", others, "version", s.Version, "data", data,
		"memories", memories, "meaning", p.showMeaning(s.Meaning), "capture", s.Capture)
	for _, text := range s.Warnings {
		p.printFields("warning", text)
	}
	if s.People > 0 {
		keys := loci.Plural(s.People, "key of a person", "keys of people")
		if s.Limited > 0 {
			keys += ", " + loci.Thousands(s.Limited) + " limited to scopes or projects"
		}
		p.printFields("keys", keys+": "+p.onSameData("loci key list --all"))
	}
	if len(s.Clients) == 0 {
		p.printFields("clients", "none; connect one with: "+p.onSameData("loci connect"))
		return
	}
	p.printf("\n")
	printRows(p, "CLIENT OR KEY|VENDOR|BY|LAST USED|STATE", s.Clients, func(c clientUse) []string {
		used := "never"
		if !c.LastUsed.IsZero() {
			used = p.showTime(c.LastUsed)
		}
		return []string{c.Name, string(c.Vendor), c.How, used, c.State}
	})
}
