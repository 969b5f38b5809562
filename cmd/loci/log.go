package main

import (
	"context"
	"errors"
	"log/slog"
)

// logger returns a log for standard error, as the settings want it. ctx is that of the command.
func (p *program) logger(ctx context.Context) *slog.Logger {
	options := &slog.HandlerOptions{Level: p.settings.LogLevel}
	if p.settings.LogJSON {
		return slog.New(&quietLog{slog.NewJSONHandler(p.err, options), ctx})
	}
	return slog.New(&quietLog{slog.NewTextHandler(p.err, options), ctx})
}

// quietLog leaves out what fails only because the person has interrupted the command, which says so itself.
type quietLog struct {
	slog.Handler
	command context.Context //nolint:containedctx // lives as long as the command
}

func (h *quietLog) Handle(ctx context.Context, r slog.Record) error {
	cancelled := false
	if h.command.Err() != nil {
		r.Attrs(func(a slog.Attr) bool {
			err, ok := a.Value.Any().(error)
			cancelled = ok && errors.Is(err, context.Canceled)
			return !cancelled
		})
	}
	if cancelled {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h *quietLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &quietLog{h.Handler.WithAttrs(attrs), h.command}
}

func (h *quietLog) WithGroup(name string) slog.Handler {
	return &quietLog{h.Handler.WithGroup(name), h.command}
}
