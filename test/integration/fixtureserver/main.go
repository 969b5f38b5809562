// Command fixtureserver serves the tools, resources and prompts that the MCP
// conformance suite calls by name, over the transport of internal/mcpserver:
// what the suite finds out about sessions, versions, headers and streams is
// true of Loci. There is no sign-in, because the suite cannot send a token.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/project"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	if err := serve(*listen); err != nil {
		fmt.Fprintln(os.Stderr, "fixtureserver:", err)
		os.Exit(1)
	}
}

func serve(address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	somebody := loci.Principal{Kind: loci.KindAgent, OrgID: loci.DefaultOrg, UserID: loci.NewUserID(), Vendor: "fixture",
		Origin: "fixture"}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpserver.NewHTTP(mcpserver.HTTPOptions{
		Stateful: newServer(), Stateless: newServer(),
		Authorize:   func(*http.Request) (loci.Principal, error) { return somebody, nil },
		Connections: &connections{states: map[project.ConnectionKey][]byte{}},
		Log:         slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}))
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		stopped <- server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// connections keeps the connections of the one client in this process.
type connections struct {
	mu     sync.Mutex
	states map[project.ConnectionKey][]byte
}

// OpenConnection implements mcpserver.Connections.
func (c *connections) OpenConnection(_ context.Context, _ loci.Principal, key project.ConnectionKey,
	state []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states[key] = state
	return nil
}

// ContinueConnection implements mcpserver.Connections.
func (c *connections) ContinueConnection(_ context.Context, _ loci.Principal, key project.ConnectionKey) ([]byte,
	error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state, ok := c.states[key]; ok {
		return state, nil
	}
	return nil, loci.Errorf(loci.NotFound, "no such connection")
}

// EndConnection implements mcpserver.Connections.
func (c *connections) EndConnection(_ context.Context, key project.ConnectionKey) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.states, key)
	return nil
}

// newServer returns a server with all fixtures.
func newServer() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "loci-fixtures", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
		},
		// The SDK keeps the list of subscribers; there is nothing to add.
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	addTools(srv)
	addQuestions(srv)
	addInputTools(srv)
	addResources(srv)
	addPrompts(srv)
	return srv
}
