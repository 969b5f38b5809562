package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressRate is how often the bar moves.
const progressRate = 100 * time.Millisecond

// progress shows a progress bar on standard error if that is a terminal. A negative total is unknown.
func (p *program) progress(what string, total int64, bytes bool) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(p.err),
		progressbar.OptionSetVisibility(isTerminal(p.err)),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(progressRate))
}
