package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/deployment"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
)

// finding is one line of doctor's report.
type finding struct {
	Status string `json:"status"` // ok, warn or fail
	Check  string `json:"check"`
	Text   string `json:"text"`
	Fix    string `json:"fix,omitempty"`
}

type doctor struct {
	*program
	fix      bool
	findings []finding
}

func (d *doctor) ok(check, format string, args ...any) {
	d.findings = append(d.findings, finding{"ok", check, fmt.Sprintf(format, args...), ""})
}

func (d *doctor) warn(check, fix, format string, args ...any) {
	d.findings = append(d.findings, finding{"warn", check, d.onSameData(fmt.Sprintf(format, args...)), d.onSameData(fix)})
}

func (d *doctor) fail(check, fix, format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "; run: loci doctor", "") // which this is
	d.findings = append(d.findings, finding{"fail", check, d.onSameData(text), d.onSameData(fix)})
}

// failed reports whether there is an error, which is then a failure.
func (d *doctor) failed(check, fix string, err error) bool {
	if err != nil {
		d.fail(check, fix, "%s", loci.OneLine(err.Error()))
	}
	return err != nil
}

func (p *program) doctorCommand() *cobra.Command {
	d := &doctor{program: p}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the data directory, keys and server, and suggest fixes",
		Long: `Check the data directory, its files and indexes, keys, backups and the server. Each line
begins with ok, warn or fail; for warnings and failures it suggests a fix. The exit code
is 1 if any check fails.`,
		Annotations: does(agent.Read, deployment.JobList, identity.KeyList, identity.KeyListAll, org.ArcRead, org.List,
			project.Read),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.examine(cmd.Context())
			if err := cmd.Context().Err(); err != nil {
				return err // what could not be read then is not damaged
			}
			return d.print()
		},
	}
	cmd.Flags().BoolVar(&d.fix, "fix", false, "fix what Loci can: rebuild indexes, tighten permissions")
	cmd.Flags().String("listen", "", "address whose port to check (default 127.0.0.1:5624; LOCI_LISTEN)")
	return cmd
}

func (d *doctor) examine(ctx context.Context) {
	b := readBuildInfo()
	d.ok("version", "loci %s, %s, %s", b.Version, b.Go, b.Platform)
	d.examineSettings()
	d.examineModel()
	if d.examineDirectory(ctx) {
		err := d.with(ctx, refuse, func(in *instance) error {
			d.ok("open", "the data directory opens")
			d.examineFiles(ctx, in)
			d.examineIndex(ctx, in)
			d.examineVectors(ctx, in)
			d.examineProjects(ctx, in)
			d.examineAgents(ctx, in)
			d.examineArcs(ctx, in)
			d.examineKeys(ctx, in)
			d.examineJobs(ctx, in)
			d.examineLeftovers()
			return nil
		})
		d.failed("open", d.remedy(err), err)
		d.examineBackups(err == nil)
	}
	d.examineServers(ctx)
}

func (d *doctor) print() error {
	bad := false
	for _, f := range d.findings {
		bad = bad || f.Status == "fail"
	}
	if d.json {
		if err := d.printJSON(map[string]any{"ok": !bad, "findings": d.findings}); err != nil {
			return err
		}
	} else {
		for _, f := range d.findings {
			d.printf("%-4s  %-12s  %s\n", f.Status, f.Check, f.Text)
			if f.Fix != "" {
				d.printf("%20sfix: %s\n", "", f.Fix)
			}
		}
	}
	if bad {
		return errUnwell
	}
	return nil
}

func (d *doctor) examineSettings() {
	s := d.settings
	if s.FromFile != "" {
		d.ok("settings", "read from %s", s.FromFile)
	} else {
		d.ok("settings", "no configuration file; using defaults, variables and flags")
	}
	for _, text := range s.warnings() {
		d.warn("settings", "correct or remove it", "%s", text)
	}
	if !s.Egress {
		d.ok("egress", "off: Loci sends nothing out")
	} else if s.Chat.BaseURL != "" {
		d.ok("egress", "on: Loci sends questions to /query to the model at %s", s.Chat.BaseURL)
	}
	if s.sendsTexts() {
		d.ok("egress", "on: Loci sends the texts of memories and questions to the embedding model at %s",
			s.Embed.Endpoint.BaseURL)
	}
	if s.asksModel() {
		d.ok("egress", "on: Loci sends notes without their secrets to the model %s, to find candidates", s.Reflect.Chat.Model)
	}
}

func (d *doctor) examineDirectory(ctx context.Context) bool {
	dir := d.settings.DataDir
	info, err := os.Stat(dir)
	unusable := d.settings.unusable(refuse)
	switch {
	case errors.Is(err, os.ErrNotExist):
		d.warn("directory", d.serveLine(ctx), "%s does not exist yet", dir)
		return false
	case err != nil:
		d.fail("directory", "make it readable for this user", "%s", err)
		return false
	case !info.IsDir():
		d.fail("directory", "name another place with --data-dir", "%s is a file", dir)
		return false
	case unusable != nil:
		d.fail("directory", d.remedy(os.ErrPermission), "%s", unusable)
		return false
	case hasNoData(dir):
		d.warn("directory", d.serveLine(ctx), "%s has no memories yet", dir)
		return false
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		if d.fix && os.Chmod(dir, 0o700) == nil {
			d.ok("directory", "%s: changed permissions from %o to 700", dir, mode)
			return true
		}
		d.warn("directory", "chmod 700 "+quoted(dir)+", or loci doctor --fix",
			"other users can read %s (mode %o)", dir, mode)
		return true
	}
	d.ok("directory", "%s", dir)
	return true
}

func (d *doctor) examineFiles(ctx context.Context, in *instance) {
	unwritten := in.app.Ready(ctx)
	if isDamage(unwritten) { // a file, which is examined below
		unwritten = nil
	}
	if err := in.store.Unwritable(); err != nil {
		d.warn("write", "none is needed to read it; to write, "+d.remedy(err)+", or copy it elsewhere",
			"Loci can only read: %s", loci.OneLine(err.Error()))
	} else if err := unwritten; err != nil {
		d.fail("write", d.remedy(err), "%s", loci.OneLine(err.Error()))
	} else {
		d.ok("write", "writing works")
	}
	problems, err := d.checkFiles(ctx, in)
	if d.failed("files", d.remedy(err), err) {
		return
	}
	for _, one := range problems {
		if one.Kind == loci.ProblemBusy {
			d.warn("files", d.remedyOfProblem(one.Kind, nil), "%s", one.Text)
			continue
		}
		d.fail("files", d.remedyOfProblem(one.Kind, unwritten), "%s", one.Text)
	}
	if len(problems) == 0 {
		d.ok("files", "every file is intact, and the full-text and list indexes match the rows")
	}
}

// checkFiles returns the problems of the files. With --fix it rebuilds the indexes first if there are any.
func (d *doctor) checkFiles(ctx context.Context, in *instance) (problems []loci.Problem, err error) {
	err = d.follow(ctx, func(ctx context.Context) (err error) {
		problems, err = checkData(ctx, in.store)
		if err != nil || len(problems) == 0 || !d.fix {
			return err
		}
		orgs, _, err := in.store.LostEvents(ctx)
		for _, org := range orgs {
			err = errors.Join(err, in.store.KeepsEvents(ctx, org, false))
			d.warn("events", "restore a backup if you have one", "began an empty event log for org %s: its log is lost", org)
		}
		if err = errors.Join(err, in.store.Rebuild(ctx)); err == nil {
			d.ok("rebuild", "rebuilt the indexes")
			problems, err = checkData(ctx, in.store)
		}
		return err
	})
	return problems, err
}

func (d *doctor) examineKeys(ctx context.Context, in *instance) {
	on, err := in.auth.AgentsExist(ctx)
	if d.failed("keys", "read the message", err) {
		return
	}
	started, err := d.startingClients()
	d.failed("clients", "read the message", err)
	old, err := d.outdatedClients(ctx, in, started)
	var working []*client
	for _, s := range started {
		if !s.gone {
			working = append(working, s.client)
		}
	}
	if len(working) > 0 {
		d.ok("clients", "connected over stdio: %s", labels(working))
	}
	d.failed("clients", "read the message", err)
	for _, f := range old {
		d.warn("clients", f.fix, "%s", f.text)
	}
	if fault := d.captureFault(); fault.text != "" {
		d.warn("clients", fault.fix, "%s", fault.text)
	}
	switch {
	case on || d.settings.PublicURL != "":
		d.ok("keys", "assistants can connect at /mcp")
	case len(working) > 0:
		d.ok("keys", "no agent key works; other assistants can connect over stdio or by OAuth")
	default:
		d.warn("keys", "loci connect claude-code, or loci agent-key create --vendor claude --name NAME",
			"no agent key works; assistants can connect only by OAuth")
	}
	expired := 0
	for _, kind := range []loci.Kind{loci.KindUser, loci.KindAgent} {
		keys, err := in.app.Identity.Keys(ctx, in.operator, kind)
		if d.failed("keys", "read the message", err) {
			return
		}
		expired += countIf(keys, func(k loci.Credential) bool { return keyStatus(&k) == "expired" })
	}
	if expired > 0 {
		d.warn("keys", "see `loci key list` and `loci agent-key list`; replace those in use and revoke the others",
			"%s expired", loci.Plural(expired, "key has", "keys have"))
	}
}

// backupAge is the age of the newest backup at which doctor warns.
const backupAge = 30 * 24 * time.Hour

// examineLeftovers looks for copies that killed backups, checks and restores left behind.
func (d *doctor) examineLeftovers() {
	do := d.backups().Leftovers
	if d.fix {
		do = d.backups().Clear
	}
	list, err := do()
	if err != nil {
		d.fail("backups", "make the directory writable for this user", "%s", err)
	}
	for _, l := range list {
		if d.fix {
			d.ok("backups", "removed %s, which an interrupted backup or restore left behind", l.Path)
			continue
		}
		d.warn("backups",
			"loci doctor --fix; the next backup and the next start of the server also remove it",
			"%s is left behind by an interrupted backup or restore and takes %s", l.Path, loci.ShowBytes(l.Bytes))
	}
}

func (d *doctor) examineBackups(opens bool) {
	found, err := d.backups().List()
	fix := "loci backup create"
	if !opens {
		fix = "first make the data directory open, then loci backup create"
	}
	none := "no backups"
	found = slices.DeleteFunc(found, func(b maintain.Backup) bool {
		problems := b.Unfit()
		for _, text := range problems {
			none = "no usable backup"
			d.warn("backups", "remove "+quoted(b.Path), "backup %s is damaged: %s", b.Name, text)
		}
		return len(problems) > 0
	})
	switch {
	case err != nil:
		d.fail("backups", "make the directory readable for this user", "%s", err)
	case len(found) == 0:
		d.warn("backups", fix, "%s", none)
	case time.Since(found[0].Manifest.CreatedAt) > backupAge:
		d.warn("backups", fix, "the newest is from %s",
			d.showTime(found[0].Manifest.CreatedAt))
	default:
		d.ok("backups", "%s, the newest from %s; to check what is in it, run: %s",
			loci.Plural(len(found), "backup", "backups"), d.showTime(found[0].Manifest.CreatedAt),
			d.onSameData("loci backup verify"))
	}
}

// examineServers reports the servers that run on the data directory, or whether the port of the configured one is free.
func (d *doctor) examineServers(ctx context.Context) {
	list := d.servers()
	for _, r := range list {
		if r.Version != readBuildInfo().Version {
			d.warn("server", "stop it, and start it again with this version", "Loci %s is running at %s, process %d; this is %s",
				r.Version, r.URL, r.PID, readBuildInfo().Version)
			continue
		}
		d.ok("server", "Loci is running at %s, process %d", r.URL, r.PID)
	}
	if len(list) == 0 || d.settings.Asked {
		d.examinePort(ctx)
	}
}

func (d *doctor) examinePort(ctx context.Context) {
	address := d.settings.Listen
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	answers := noLoci
	if isInUse(err) {
		answers = d.answererAt(ctx, address)
	}
	switch {
	case err == nil:
		d.ok("server", "Loci is not running; %s is free", address)
		_ = l.Close()
	case isInUse(err) && answers == thisLoci:
		d.ok("server", "Loci is running at %s", localURL(address))
	case isInUse(err) && answers == otherLoci:
		d.warn("server", d.besideOther(address), "%s", d.whatAnswers(address))
	case isInUse(err):
		_, port, _ := net.SplitHostPort(address)
		d.warn("server", d.serveLineBeside(address)+"; to find the program, run: "+whoHas(port),
			"Loci is not running; another program uses %s", address)
	default:
		d.fail("server", "set LOCI_LISTEN to host:port, like 127.0.0.1:5624", "%s", err)
	}
}
