package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci/internal/identity"
)

func (p *program) openCommand() *cobra.Command {
	var show bool
	cmd := p.acting(operator, &cobra.Command{
		Use:         "open",
		Short:       "Open Loci in the browser, signed in",
		Annotations: does(identity.LinkCreate),
		Long: `Open Loci in the browser with a link that signs you in, once, within 15 minutes.
Without a display, print the link. Other accounts of this machine can see the arguments
of programs, and so the link until the browser has used it; on a shared machine, pass
--print.`,
	}, func(ctx context.Context, c *call) error {
		server := p.signInServer()
		switch {
		case server.URL == "" && p.settings.isPlain():
			return fmt.Errorf("cannot open Loci: %s", p.noPages())
		case server.PID == 0 && p.settings.PublicURL == "":
			return fmt.Errorf("cannot open Loci: %s",
				cmp.Or(p.notRunning(ctx, p.settings.Listen), "the running server has no pages for browsers"))
		}
		token, err := c.app.Identity.NewLink(ctx, c.operator, c.operator.UserID)
		if err != nil {
			return err
		}
		link := signInLink(server.URL, token)
		if !show && !p.json && p.browse(ctx, link) {
			p.note("Opening Loci in your browser. If nothing happens, open this link within 15 minutes:")
		}
		return p.answer(map[string]any{"link": link}, nil, "%s", link)
	})
	cmd.Flags().BoolVar(&show, "print", false, "only print the link")
	return cmd
}

// browse opens an address in the person's browser, if this machine has a display.
func (p *program) browse(ctx context.Context, address string) bool {
	if !p.settings.Display {
		return false
	}
	line := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		line[0] = "open"
	case "windows":
		line = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), line[0], line[1:]...) // it outlives this command
	return cmd.Start() == nil
}
