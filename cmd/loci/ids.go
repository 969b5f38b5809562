package main

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

// leastID is the shortest beginning of an id that finds a thing, in characters.
const leastID = 4

// resolver finds the id that begins with s, which isn't a whole id.
type resolver[T ~[16]byte] func(ctx context.Context, c *call, s string) (T, error)

// checkID rejects what is neither an id nor the beginning of one. see is the command that lists ids.
func checkID(s, noun, see string) error {
	if _, _, err := loci.ParseIDPrefix[struct{}](s, 1); err == nil && len(s) < leastID {
		return loci.Errorf(loci.Invalid,
			"%q is too short for the beginning of a %s id: type at least %d characters; see `%s`", s, noun, leastID, see)
	}
	if first, last, err := loci.ParseIDPrefix[struct{}](s, leastID); err != nil || first == last && first.IsZero() {
		byKey := ""
		if noun == "memory" && s != "" {
			byKey = "; if it is the key of one, run: loci list --key " + quoted(cut(s, 60))
		}
		return loci.Errorf(loci.Invalid, "%q is not a valid %s id; see `%s`%s", cut(s, 60), noun, see, byKey)
	}
	return nil
}

// resolve reads an id, or finds the one that begins with s.
func resolve[T ~[16]byte](ctx context.Context, c *call, s, noun, see string, find resolver[T]) (T, error) {
	if err := checkID(s, noun, see); err != nil {
		return T{}, err
	}
	if id, err := loci.ParseID[struct{}](s); err == nil {
		return T(id), nil
	}
	return find(ctx, c, s)
}

// among finds an id in what a person may see.
func among[T ~[16]byte](noun, see string, list func(context.Context, *call) ([]T, error)) resolver[T] {
	return func(ctx context.Context, c *call, s string) (T, error) {
		all, err := list(ctx, c)
		if err != nil {
			return T{}, err
		}
		return beginning(all, s, noun, see)
	}
}

// beginning returns the one id of a list that begins with s.
func beginning[T ~[16]byte](list []T, s, noun, see string) (T, error) {
	id, err := gate.FindID(loci.Principal{}, s, noun, list, nil, func(id T) T { return id })
	return id, orNoSuch(err, noun, s, see)
}

// memoryID reads the id of a memory, or finds the one that begins with s.
func (in *instance) memoryID(ctx context.Context, who loci.Principal, s string) (loci.MemoryID, error) {
	if err := checkID(s, "memory", "loci list"); err != nil {
		return loci.MemoryID{}, err
	}
	id, err := in.app.Memory.Resolve(ctx, who, s)
	if loci.CodeOf(err) == loci.NotFound {
		err = advised{loci.WrapError(loci.NotFound, err, "no memory has an id that begins with %s; see `loci list`",
			strings.ToLower(s))}
	}
	return id, err
}

func (in *instance) memoryIDs(ctx context.Context, who loci.Principal, texts []string) ([]loci.MemoryID, error) {
	var ids []loci.MemoryID
	for _, s := range texts {
		id, err := in.memoryID(ctx, who, s)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func checkMemoryIDs(texts []string) error {
	for _, s := range texts {
		if err := checkID(s, "memory", "loci list"); err != nil {
			return err
		}
	}
	return nil
}

func resolveMemory(ctx context.Context, c *call, s string) (loci.MemoryID, error) {
	return c.memoryID(ctx, c.who, s)
}

var resolveSuggestion = among("suggestion", "loci suggestion list --state all",
	func(ctx context.Context, c *call) ([]loci.SuggestionID, error) {
		list, err := gate.AllPages(func(cursor string) (gate.Page[loci.Suggestion], error) {
			return c.app.Memory.Suggestions(ctx, c.who, memory.SuggestionsRequest{Limit: gate.MaxPage, Cursor: cursor})
		})
		return mapped(list, func(s loci.Suggestion) loci.SuggestionID { return s.ID }), err
	})

// nodeID reads the id of a memory node, or finds the one that begins with s or has this name.
func (c *call) nodeID(ctx context.Context, s string) (loci.NodeID, error) {
	id, err := c.app.Node.Find(ctx, c.who, s)
	return id, orNoSuch(err, "memory node", s, "loci node list")
}

const seeItems = "loci node show NODE"

// itemID reads the id of an item of a memory node, or finds the one that begins with s.
func (c *call) itemID(ctx context.Context, of loci.NodeID, s string) (loci.NodeItemID, error) {
	return resolve(ctx, c, s, "node item", seeItems,
		among("node item", seeItems, func(ctx context.Context, c *call) ([]loci.NodeItemID, error) {
			items, err := c.app.Node.Items(ctx, c.who, of)
			return mapped(items, func(i loci.NodeItem) loci.NodeItemID { return i.ID }), err
		}))
}

// mapped returns what of makes of each item.
func mapped[T, U any](list []T, of func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = of(x)
	}
	return out
}

// findNamed returns the item of a list with that id; else the one of that name, also in other capitals; else the one
// whose id begins with s. err is that of reading the list.
func findNamed[T any](list []T, err error, s string, of func(T) (id, name string), noun, see string) (none T, _ error) {
	if err != nil {
		return none, err
	}
	var called, spelled, begun []T
	var names []string
	for _, x := range list {
		id, name := of(x)
		if id == strings.ToLower(s) {
			return x, nil
		}
		if name != "" && name == s {
			called = append(called, x)
		}
		if name != "" && strings.EqualFold(name, s) {
			spelled = append(spelled, x)
		}
		if len(s) >= leastID && strings.HasPrefix(id, strings.ToLower(s)) {
			begun = append(begun, x)
		}
		names = append(names, name)
		if _, err := loci.ParseID[struct{}](id); err != nil { // people choose such ids
			names = append(names, id)
		}
	}
	for _, found := range [][]T{called, spelled, begun} {
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			ids := mapped(found, func(x T) string { id, _ := of(x); return id })
			return found[0], loci.Errorf(loci.Invalid, "%d %ss match %s; specify one by its id: %s", len(found), noun,
				quoted(cut(s, 60)), strings.Join(ids, ", "))
		}
	}
	return none, noSuchButNear(noun, s, see, names)
}

// told adds to the ids in an error of findNamed what else tells the things apart.
func told[T any](err error, list []T, of func(T) (id, text string)) error {
	if loci.CodeOf(err) != loci.Invalid {
		return err
	}
	text := err.Error()
	for _, x := range list {
		if id, more := of(x); more != "" {
			text = strings.Replace(text, id, id+" ("+more+")", 1)
		}
	}
	return loci.WrapError(loci.Invalid, err, "%s", text)
}

func noSuchButNear(noun, name, see string, known []string) error {
	near := didYouMean(name, known)
	if near == "" {
		return noSuch(noun, name, see)
	}
	return advised{loci.Errorf(loci.NotFound, "%s %s not found%s See `%s`", noun, quoted(cut(name, 100)), near, see)}
}
