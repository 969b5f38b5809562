package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
)

// registerAssets adds the routes about what hangs on memories: files, and where they come from.
func (s *server) registerAssets(at func(route) route) {
	upload := at(routeAddAsset)
	s.addAsset(upload, upload.prefix+"/assets/")
	add(s, at(routeAssets), s.assets)
	add(s, at(routeAsset), s.asset)
	add(s, at(routeAssetContent), s.assetContent)
	add(s, at(routeDeleteAsset), s.deleteAsset)

	add(s, at(routeAddSources), s.addSources)
	add(s, at(routeSources), s.sources)
	add(s, at(routeDeleteSource), s.deleteSource)
}

// uploads bounds how often files come: each may take a while and a good part of the disk.
var uploads = auth.Policy{Name: "assets", Limit: 120}

// The part of the table about what hangs on memories.
var (
	routeAddAsset = route{ID: "addAsset", Method: http.MethodPost, Path: "/memories/{id}/assets", Who: forAny, Action: app.AssetAdd, Tag: "assets", Limit: uploads, Status: http.StatusCreated, Raw: true, Again: true, Atomic: true,
		Summary: "Attach a file to a memory", Text: "The body is the file, or a form with one part `file`. It is read as it comes. media_type is what the bytes are. The same file under the same name again: 200. 409 if the org has no room for it.", Out: exampleAsset}
	routeAssets = route{ID: "listAssets", Method: http.MethodGet, Path: "/memories/{id}/assets", Who: forAny, Action: app.AssetRead, Tag: "assets",
		Summary: "List the files of a memory", Text: "Oldest first.", Out: client.AssetList{Assets: exampleAssets}}
	routeAsset = route{ID: "getAsset", Method: http.MethodGet, Path: "/assets/{id}", Who: forAny, Action: app.AssetRead, Missing: noAsset, Tag: "assets",
		Summary: "Say what is known of a file", Text: "Who sees its memory sees it.", Out: exampleAsset}
	routeAssetContent = route{ID: "getAssetContent", Method: http.MethodGet, Path: "/assets/{id}/content", Who: forAny, Action: app.AssetRead, Missing: noAsset, Tag: "assets",
		Summary: "Download a file", Text: "To be saved, never shown as a page: types that a browser would run or lay out are sent as application/octet-stream.",
		Alternatives: binaryToo, Further: contentAnswers}
	routeDeleteAsset = route{ID: "deleteAsset", Method: http.MethodDelete, Path: "/assets/{id}", Who: forAny, Action: app.AssetDelete, Missing: noAsset, Tag: "assets",
		Summary: "Delete a file", Text: "For good; its bytes go within two days, unless another memory has the same. Needs step-up unless the org deletes by key."}

	routeAddSources = route{ID: "addSources", Method: http.MethodPost, Path: "/memories/{id}/sources", Who: forAny, Action: app.SourceAdd, Tag: "sources", Status: http.StatusCreated, Again: true, Atomic: true,
		Summary: "Say where a memory comes from", Text: "All or none. Those that are there already from the same writer are answered as they are. An agent adds only to what its vendor wrote.", In: exampleNewSources, Out: client.SourceList{Sources: exampleSources}}
	routeSources = route{ID: "listSources", Method: http.MethodGet, Path: "/memories/{id}/sources", Who: forAny, Action: app.SourceRead, Tag: "sources",
		Summary: "Read where a memory comes from", Text: "Oldest first, those that the vendor of the key may read.", Out: client.SourceList{Sources: exampleSources}}
	routeDeleteSource = route{ID: "deleteSource", Method: http.MethodDelete, Path: "/sources/{id}", Who: forAny, Action: app.SourceDelete, Missing: noSource, Tag: "sources",
		Summary: "Delete a source", Text: "For good. Needs step-up unless the org deletes by key."}
)

// binaryToo are the media types of files: bytes, and any other that no browser runs.
var binaryToo = map[string]*huma.MediaType{binaryType: {Schema: binarySchema, Example: "bytes"}, "*/*": {Schema: binarySchema}}

var binarySchema = &huma.Schema{Type: huma.TypeString, Format: "binary"}

// contentAnswers are what a download answers besides the whole file.
var contentAnswers = map[string]*huma.Response{
	"206": {Description: "The parts that Range asks for; several as multipart/byteranges", Content: map[string]*huma.MediaType{
		"*/*": {Schema: binarySchema}, "multipart/byteranges": {Schema: binarySchema}}},
	"304": {Description: "Still the file that If-None-Match names"},
	"412": problemResponse("The file is another one than If-Match names"),
	"416": problemResponse("Range asks for what the file does not have; Content-Range says how long it is"),
}

// uploadBody documents the body of an upload.
func uploadBody() *huma.RequestBody {
	form := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"file": binarySchema}, Required: []string{"file"}}
	return &huma.RequestBody{Required: true, Description: "Of any Content-Type; as large as the org allows, 25 MiB where it says nothing.",
		Content: map[string]*huma.MediaType{binaryType: {Schema: binarySchema, Example: "bytes"}, formType: {Schema: form}}}
}
