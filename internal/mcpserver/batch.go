package mcpserver

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// noBatches is the first version that forbids batches.
const noBatches = "2025-06-18"

// batch collects the answers to the messages of one batch, which are sent together.
type batch struct {
	mu      sync.Mutex
	left    int // calls without an answer
	answers [][]byte
}

// unpack queues the messages of a batch. It rejects a batch in a version that forbids batches.
func (l *lines) unpack(messages []json.RawMessage) *jsonrpc.Error {
	l.mu.Lock()
	version := l.version
	l.mu.Unlock()
	if version == "" || version >= noBatches {
		return badRequest("batches are only supported before version " + noBatches + "; send one message per line")
	}
	in := new(batch)
	for _, text := range messages {
		if m, err := parseOne(text); err != nil || m.id != nil && m.method != "" {
			in.left++ // an error is an answer, too
		}
		l.rest = append(l.rest, line{text: text, batch: in})
	}
	return nil
}

func (l *lines) noteVersion(answer *jsonrpc.Response) {
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.version == "" && json.Unmarshal(answer.Result, &result) == nil {
		l.version = result.ProtocolVersion
	}
}

// answer writes an answer, or keeps it until its whole batch has been answered. A cancelled call has
// the answer nil, which is not sent.
func (l *lines) answer(in *batch, text []byte) error {
	if in != nil {
		in.mu.Lock()
		defer in.mu.Unlock()
		if text != nil {
			in.answers = append(in.answers, text)
		}
		if in.left--; in.left > 0 || len(in.answers) == 0 {
			return nil
		}
		text = slices.Concat([]byte("["), bytes.Join(in.answers, []byte(",")), []byte("]"))
	}
	if text == nil {
		return nil
	}
	return l.write(text)
}
