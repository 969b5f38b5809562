package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/memory"
)

var assetRoutes = table{"assets", []served{
	serve("GET /memories/{id}/assets", route{ID: "listAssets", Who: forAny, Action: memory.AssetRead,
		Summary: "List the files of a memory",
		Text:    "Oldest first.",
		Out:     client.AssetList{Assets: exampleAssets}}, (*server).assets),
	serve("GET /assets/{id}", route{ID: "getAsset", Who: forAny, Action: memory.AssetRead,
		Summary: "Get the metadata of a file",
		Text:    "You can read a file if you can read its memory.",
		Out:     exampleAsset}, (*server).asset),
	serve("GET /assets/{id}/content", route{ID: "getAssetContent", Who: forAny, Action: memory.AssetRead,
		Summary: "Download a file",
		Text: "Always sent as an attachment. A type that a browser would run or render is sent as " +
			"application/octet-stream.",
		Alternatives: binaryToo, Further: contentAnswers}, (*server).assetContent),
	serve("DELETE /assets/{id}", route{ID: "deleteAsset", Who: forAny, Action: memory.AssetDelete,
		Summary: "Delete a file permanently",
		Text: "Loci removes its bytes within two days, unless another memory has the same file. Needs step-up " +
			"unless the org deletes by key."}, (*server).deleteAsset),
	{routeAt("POST /memories/{id}/assets", route{ID: "addAsset", Who: forAny, Action: memory.AssetAdd, Limit: uploads,
		Status: http.StatusCreated, Raw: true, Takes: uploadBody, Again: true, Atomic: true,
		Summary: "Attach a file to a memory",
		Text: "The body is the file, or a form with one part `file`. Loci streams it to the disk and " +
			"determines media_type from its bytes. 200 if the same writer already attached the same file " +
			"under the same name. 409 if the org has no room for it.",
		Out: exampleAsset}), (*server).addAsset},
}}

// binaryToo are the media types of files: bytes, and any other that no browser runs.
var binaryToo = map[string]*huma.MediaType{binaryType: {Schema: binarySchema, Example: "bytes"},
	"*/*": {Schema: binarySchema}}

var binarySchema = &huma.Schema{Type: huma.TypeString, Format: "binary"}

// contentAnswers are what a download answers besides the whole file.
var contentAnswers = map[string]*huma.Response{
	"206": {Description: "The parts in Range; several as multipart/byteranges",
		Content: map[string]*huma.MediaType{
			"*/*": {Schema: binarySchema}, "multipart/byteranges": {Schema: binarySchema}}},
	"304": {Description: "Unchanged since an ETag in If-None-Match"},
	"412": problemResponse("The file does not match If-Match"),
	"416": problemResponse("Range is outside the file, whose size is in Content-Range"),
}

func uploadBody(*server) *huma.RequestBody {
	form := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"file": binarySchema},
		Required: []string{"file"}}
	return &huma.RequestBody{Required: true,
		Description: "Of any Content-Type. The org sets the largest size; the default is 25 MiB.",
		Content: map[string]*huma.MediaType{binaryType: {Schema: binarySchema, Example: "bytes"},
			formType: {Schema: form}}}
}

type newAssetInput struct {
	PathID
	Name        string `query:"name" maxLength:"1000" doc:"Default: as in Content-Disposition or the form" example:"a.png"`
	Disposition string `header:"Content-Disposition" maxLength:"2000" doc:"Like attachment; filename=\"a.png\""`
}

type assetOutput struct {
	Status   int
	Location string `header:"Location" doc:"The address of the file; 201 only"`
	Body     loci.Asset
}

// addAsset registers the route that takes files. It streams the request, so only
// after storing all of it does it know whether the request is a repetition.
func (s *server) addAsset(r route) {
	attach := once(s, &r, func(ctx context.Context, p loci.Principal, in *memory.Received) (*assetOutput, error) {
		a, added, err := s.app.Memory.Attach(ctx, p, in)
		if err != nil {
			return nil, err
		}
		status := http.StatusOK
		if added {
			status = http.StatusCreated
		}
		return &assetOutput{status, placeOf(exchangeOf(ctx).request) + "/assets/" + a.ID.String(), a}, nil
	})
	enter(s, r, func(ctx context.Context, p loci.Principal, in *newAssetInput) (*assetOutput, error) {
		file, err := s.received(ctx, p, in)
		if err != nil {
			return nil, err
		}
		if x := exchangeOf(ctx); x.once != nil { // the boundary of a form is different each time
			x.once.restart(x.request, in.Disposition, file.SHA256())
		}
		return attach(ctx, p, file)
	})
}

// received stores the file of a request.
func (s *server) received(ctx context.Context, p loci.Principal, in *newAssetInput) (*memory.Received, error) {
	body := &incoming{exchangeOf(ctx).request}
	if err := s.app.Allowed(ctx, p, memory.AssetAdd); err != nil { // before any other error
		return nil, err
	}
	u, err := uploadOf(body, in.Name)
	if err != nil {
		return nil, err
	}
	return s.app.Memory.Receive(ctx, p, in.parse(), u)
}

func (s *server) assets(ctx context.Context, p loci.Principal, in *PathID) (*answer[client.AssetList], error) {
	list, err := s.app.Memory.Assets(ctx, p, in.parse())
	return say(client.AssetList{Assets: loci.OrEmpty(list)}, err)
}

type assetPath struct {
	ID string `path:"id" doc:"Id of the attachment, or its beginning" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (in *assetPath) parse() loci.AssetID { return idOf[loci.AssetID](in.ID) }

func (s *server) asset(ctx context.Context, p loci.Principal, in *assetPath) (*answer[loci.Asset], error) {
	return say(s.app.Memory.Asset(ctx, p, in.parse()))
}

func (s *server) deleteAsset(ctx context.Context, p loci.Principal, in *assetPath) (*nothing, error) {
	return done(s.app.Memory.DeleteAsset(ctx, p, in.parse()))
}

// contentInput documents the headers that http.ServeContent reads.
type contentInput struct {
	ID          string `path:"id" doc:"Id of the attachment, or its beginning" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Range       string `header:"Range" maxLength:"1000" doc:"Parts of the file, like bytes=0-1023"`
	IfRange     string `header:"If-Range" maxLength:"1000" doc:"The ETag of the part that you have"`
	IfNoneMatch string `header:"If-None-Match" maxLength:"1000" doc:"ETags that you have; 304 if one matches"`
}

// assetContent answers with the bytes. It authorizes every request. The bytes never change.
func (s *server) assetContent(ctx context.Context, p loci.Principal, in *contentInput) (*huma.StreamResponse, error) {
	a, f, err := s.app.Memory.OpenAsset(ctx, p, (&assetPath{in.ID}).parse())
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer f.Close()
		r, _ := humago.Unwrap(hc)
		out := &outgoing{exchange: exchangeOf(r.Context()), start: time.Now()}
		attachmentHeaders(out.Header(), a.Name, a.MediaType)
		out.Header().Set("ETag", `"`+a.SHA256+`"`)
		http.ServeContent(out, r, "", a.CreatedAt, f)
		if out.refused != 0 {
			s.refuseRange(out, a.Size)
		}
	}}, nil
}

// These are the slowest accepted download, in bytes a second, and the time before it counts. The
// deadline of other answers would cut off a large file on a slow line.
const (
	downloadGrace = 2 * time.Minute
	downloadSpeed = 16 << 10
)

// outgoing is the answer that a file is written to. It captures the error of http.ServeContent
// for an invalid request.
type outgoing struct {
	*exchange
	start   time.Time
	moved   int64
	refused int
}

// WriteHeader records an error instead of sending it.
func (o *outgoing) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		o.refused = status
		return
	}
	o.exchange.WriteHeader(status)
}

// Write sends a part of the file, or drops the text of an error.
func (o *outgoing) Write(b []byte) (int, error) {
	if o.refused != 0 {
		return len(b), nil
	}
	end := o.start.Add(downloadGrace + time.Duration(o.moved/downloadSpeed)*time.Second)
	_ = http.NewResponseController(o.exchange.ResponseWriter).SetWriteDeadline(end)
	n, err := o.exchange.Write(b)
	o.moved += int64(n)
	return n, err
}

// refuseRange answers a request that http.ServeContent rejected, as a problem document.
func (s *server) refuseRange(out *outgoing, size int64) {
	h := out.Header()
	for _, name := range []string{"Content-Disposition", "ETag", "Last-Modified", "Accept-Ranges", "Content-Length"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "private, no-cache")
	switch out.refused {
	case http.StatusRequestedRangeNotSatisfiable:
		err := loci.FieldErrorf("Range", "is outside the file, which has %d bytes; count from 0, as in bytes=0-1023", size)
		writeProblem(out.exchange, problemOf(out.refused, string(loci.Invalid), "Range", err.Error()))
	case http.StatusPreconditionFailed:
		writeProblem(out.exchange, newProblem(loci.Errorf(loci.Precondition,
			"the file does not match If-Match")))
	default:
		writeProblem(out.exchange, s.fail(out.request.Context(), noAsset, errUnreadable))
	}
}

// errUnreadable is the error for a file whose size cannot be read.
var errUnreadable = loci.Errorf(loci.Unavailable, "the file cannot be read from the disk")

var (
	exampleAsset = loci.Asset{ID: loci.AssetID(exampleMemory.ID), MemoryID: exampleMemory.ID,
		UserID: exampleMemory.UserID, Origin: "claude", Name: "diagram.png",
		MediaType: "image/png", Size: 48213, SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		CreatedAt: exampleMemory.CreatedAt}
	exampleAssets = []loci.Asset{exampleAsset}
)
