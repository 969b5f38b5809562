package rest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

const bulkMemories = "bulkMemories"

var bulkRoutes = table{"memories", []served{
	serve("POST /memories/bulk", route{ID: bulkMemories, Atomic: true, Bulk: true, Who: forAny,
		Action: memory.Create, More: []gate.Action{memory.Change, memory.Trash}, Limit: expensive,
		Summary: "Create, change and trash many memories",
		Text: "Takes up to 1,000 operations, in order. By default all or none, and the error lists why items " +
			"were refused. With \"atomic\": false, each result has its own error. Loci looks for memories that " +
			"are similar to the first 50 creates.",
		In: exampleBulkRequest, Out: exampleBulkAnswer}, (*server).bulk),
}}

var (
	exampleBulkRequest = client.BulkRequest{Operations: []client.BulkOperation{
		{Op: "create", Memory: &client.NewMemory{Title: "Deploys", Content: "We deploy on Tuesdays, never on Fridays."}},
		{Op: "create", Memory: &client.NewMemory{Content: "Tuesdays", Attributes: client.Attributes{Key: "deploy.day"}}},
	}}
	exampleBulkAnswer = client.BulkAnswer{Succeeded: 2, Results: []loci.BulkResult{
		{Op: "create", ID: exampleMemory.ID, Version: 1, Created: true}, {Index: 1, Op: "create",
			ID: loci.MemoryID(exampleUser), Version: 1, Created: true}}}
)

type bulkInput struct {
	Body    client.BulkRequest
	RawBody []byte
}

// inParts reports whether each operation is carried out separately.
func (in *bulkInput) inParts() bool { return in.Body.Atomic != nil && !*in.Body.Atomic }

func (s *server) bulk(ctx context.Context, p loci.Principal, in *bulkInput) (*answer[client.BulkAnswer], error) {
	items, err := bulkItems(in, exchangeOf(ctx).unnamed)
	if err != nil {
		return nil, err
	}
	return sayAs(bulkAnswer)(s.app.Memory.Bulk(ctx, p, items, !in.inParts()))
}

func bulkAnswer(results []loci.BulkResult) client.BulkAnswer {
	out := client.BulkAnswer{Results: results}
	for _, r := range results {
		if r.Error != nil {
			out.Failed++
		} else {
			out.Succeeded++
		}
	}
	return out
}

// bulkItems parses the operations. A malformed operation is an error of the whole call, and unnamed has those of one.
func bulkItems(in *bulkInput, unnamed map[int]error) ([]memory.BulkItem, error) {
	var raw struct { // without the texts, which may be large
		Operations []struct {
			Memory struct {
				AllowedVendors json.RawMessage `json:"allowed_vendors"`
			} `json:"memory"`
		} `json:"operations"`
	}
	if err := json.Unmarshal(in.RawBody, &raw); err != nil {
		return nil, readable(err)
	}
	items := make([]memory.BulkItem, len(in.Body.Operations))
	for i := range in.Body.Operations {
		item, err := bulkItem(&in.Body.Operations[i], raw.Operations[i].Memory.AllowedVendors)
		if err != nil {
			return nil, loci.FieldErrorf(fmt.Sprintf("operations[%d]", i), "is invalid: %s", loci.SafeText(err))
		}
		if item.Err = unnamed[i]; item.Err != nil {
			item.ID = loci.MemoryID{}
		}
		items[i] = item
	}
	return items, nil
}

func bulkItem(o *client.BulkOperation, vendors json.RawMessage) (memory.BulkItem, error) {
	item := memory.BulkItem{Op: o.Op, ID: o.ID, IfVersion: o.Version}
	create, update := item.Op == loci.BulkCreate, item.Op == loci.BulkUpdate
	switch {
	case create != (o.Memory != nil):
		return item, loci.FieldErrorf("memory", "is required for create and not allowed otherwise")
	case update != (o.Changes != nil):
		return item, loci.FieldErrorf("changes", "is required for update and not allowed otherwise")
	case create == !o.ID.IsZero():
		return item, loci.FieldErrorf("id", "is required for update and trash and not allowed for create")
	case create && o.Version != 0:
		return item, loci.FieldErrorf("version", "is not allowed for create")
	}
	var err error
	switch {
	case create:
		if o.Memory.AllowedVendors == nil && vendors != nil {
			return item, errNullVendors
		}
		item.Draft, err = newDraft(o.Memory)
	case update:
		item.Patch, err = *o.Changes, checkEdit(o.Changes)
	}
	return item, err
}
