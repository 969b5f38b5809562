package rest

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci/internal/auth"
)

// sessionParameter is where the document describes the header, once for all routes.
const (
	sessionParameter = "Session"
	parameterPrefix  = "#/components/parameters/"
)

func sessionParam() *huma.Param {
	return &huma.Param{Name: auth.SessionHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"},
		Description: "The session of an agent that the request is a part of. It reaches the memories of that agent then, and what it writes is of the session. 400 if it names no session of yours that is open, 409 if it is closed."}
}

// takesSession documents the header of a route whose requests can be a part of a session.
func (r route) takesSession(op *huma.Operation) {
	if r.Who == forAll {
		return
	}
	op.Parameters = append(op.Parameters, &huma.Param{Ref: parameterPrefix + sessionParameter})
	if op.Responses["409"] == nil {
		op.Responses["409"] = problemResponse("The session of " + auth.SessionHeader + " is closed")
	}
}

func problemResponse(text string) *huma.Response {
	return &huma.Response{Description: text, Content: map[string]*huma.MediaType{problemType: {Schema: &huma.Schema{Ref: problemRef}}}}
}
