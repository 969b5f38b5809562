package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the number of the release, or of the next one with -dev. Every surface reports it.
const version = "0.1.0-dev"

// buildInfo is the version information of the program.
type buildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Built    string `json:"commit_time,omitempty"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readBuildInfo() buildInfo {
	b := buildInfo{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Built = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Short:       "Print version information",
		Annotations: needsNoAction("prints build information"),
		RunE: func(*cobra.Command, []string) error {
			b := readBuildInfo()
			if p.json {
				return p.printJSON(b)
			}
			p.printf("loci %s (%s, %s)\n", b.Version, b.Go, b.Platform)
			if b.Commit != "" {
				p.printf("commit %s of %s\n", b.Commit, b.Built)
			}
			return nil
		},
	}
}
