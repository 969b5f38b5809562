package rest

import (
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/memory"
)

// body is an input that only has a body.
type body[T any] struct{ Body T }

// answer is an output that only has a body.
type answer[T any] struct{ Body T }

func (a *answer[T]) head(http.Header) (status int, body any) { return 0, a.Body }

func say[T any](body T, err error) (*answer[T], error) {
	if err != nil {
		return nil, err
	}
	return &answer[T]{body}, nil
}

// sayAs is say for what shape makes of a result.
func sayAs[A, B any](shape func(A) B) func(A, error) (*answer[B], error) {
	return func(a A, err error) (*answer[B], error) {
		if err != nil {
			return nil, err
		}
		return &answer[B]{shape(a)}, nil
	}
}

func value[T any](of *T) T { return *of }

// nothing is the answer 204.
type nothing struct{}

func done(err error) (*nothing, error) {
	if err != nil {
		return nil, err
	}
	return &nothing{}, nil
}

// shownOnce is a body with a secret, which caches must not store.
type shownOnce[T any] struct {
	CacheControl string `header:"Cache-Control" hidden:"true"`
	Body         T
}

func showOnce[T any](body T, err error) (*shownOnce[T], error) {
	if err != nil {
		return nil, err
	}
	return &shownOnce[T]{"no-store", body}, nil
}

// idOf parses an id from a path. Malformed text becomes an id of nothing, so that
// the answer equals that of an unknown id.
func idOf[ID ~[16]byte](text string) ID {
	id, err := loci.ParseMemoryID(text)
	if err != nil || id.IsZero() {
		id = loci.NewMemoryID()
	}
	return ID(id)
}

// Page50 asks for one page, by default of 50 rows. It is exported because huma skips embedded structs that are not.
type Page50 struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before"`
}

// Page100 asks for one page, by default of 100 rows, exported as Page50 is.
type Page100 struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" doc:"Default: 100"`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before"`
}

// onePath is a path with one id. noBody is an empty input.
type (
	onePath struct {
		ID string `path:"id" doc:"A UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	}
	noBody   struct{}
	withName struct {
		ID   string `path:"id" doc:"A UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
		Body client.Name
	}
)

// savedOutput is a memory after a save or a change.
type savedOutput struct {
	Status   int
	ETag     string `header:"ETag" doc:"The version, for If-Match and If-None-Match"`
	Location string `header:"Location" doc:"The address of the new memory; 201 only"`
	Body     *loci.Saved
}

// changedMemory is a memory after a change, with the types of the secrets in it.
func changedMemory(m *loci.Memory, err error) (*savedOutput, error) {
	if err != nil {
		return nil, err
	}
	return &savedOutput{Status: http.StatusOK, ETag: etag(m), Body: memory.Changed(m)}, nil
}
