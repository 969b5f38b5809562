package loci

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// encodeMemory writes m as the fields' tags describe it. Most answers consist of memories, and the
// reflection of the encoder takes several times as long. A memory that another struct embeds does
// not come here.
func encodeMemory(e *jsontext.Encoder, m *Memory) error {
	w := memberWriter{e: e}
	w.put(jsontext.BeginObject)
	w.id("id", m.ID)
	w.text("title", m.Title)
	w.text("content", m.Content)
	w.textIfAny("summary", m.Summary)
	w.textIfAny("key", m.Key)
	texts(&w, "tags", m.Tags)
	w.text("memory_type", string(m.Type))
	w.text("category", m.Category)
	w.number("importance", m.Importance)
	if m.Pinned {
		w.put(jsontext.String("pinned"))
		w.put(jsontext.True)
	}
	w.text("source", m.Source)
	w.access(&m.Access)
	w.idIfAny("session_id", m.SessionID)
	w.timeIfAny("valid_from", m.ValidFrom)
	w.timeIfAny("valid_to", m.ValidTo)
	w.time("created_at", m.CreatedAt)
	w.time("updated_at", m.UpdatedAt)
	w.state(&m.State)
	w.disagreement(&m.Disagreement)
	w.put(jsontext.EndObject)
	return w.err
}

// memberWriter writes members of an object until one fails.
type memberWriter struct {
	e   *jsontext.Encoder
	err error
}

func (w *memberWriter) access(a *Access) {
	w.idIfAny("user_id", a.UserID)
	w.idIfAny("workspace_id", a.WorkspaceID)
	w.text("scope", string(a.Scope))
	w.idIfAny("project_id", a.ProjectID)
	w.idIfAny("agent_id", a.AgentID)
	w.idIfAny("team_id", a.TeamID)
	w.text("origin", a.Origin)
	texts(w, "allowed_vendors", a.AllowedVendors)
	w.timeIfAny("expires_at", a.ExpiresAt)
	w.idIfAny("superseded_by", a.SupersededBy)
	w.timeIfAny("deleted_at", a.DeletedAt)
}

func (w *memberWriter) state(s *State) {
	w.number("version", s.Version)
	w.text("change", string(s.Change))
	w.text("editor", s.Editor)
	w.idIfAny("editor_id", s.EditorID)
	w.idIfAny("editor_credential_id", s.EditorCredentialID)
	w.idIfAny("editor_session_id", s.EditorSessionID)
}

func (w *memberWriter) disagreement(d *Disagreement) {
	if len(d.DisputedBy) > 0 {
		w.put(jsontext.String("disputed_by"))
		w.put(jsontext.BeginArray)
		for _, one := range d.DisputedBy {
			w.put(jsontext.BeginObject)
			w.id("id", one.ID)
			w.text("origin", one.Origin)
			w.put(jsontext.EndObject)
		}
		w.put(jsontext.EndArray)
	}
	w.idIfAny("pending_supersede", d.PendingSupersede)
}

func (w *memberWriter) put(t jsontext.Token) {
	if w.err == nil {
		w.err = w.e.WriteToken(t)
	}
}

func (w *memberWriter) text(name, value string) {
	w.put(jsontext.String(name))
	w.put(jsontext.String(value))
}

func (w *memberWriter) textIfAny(name, value string) {
	if value != "" {
		w.text(name, value)
	}
}

func texts[T ~string](w *memberWriter, name string, list []T) {
	w.put(jsontext.String(name))
	if list == nil {
		w.put(jsontext.Null)
		return
	}
	w.put(jsontext.BeginArray)
	for _, value := range list {
		w.put(jsontext.String(string(value)))
	}
	w.put(jsontext.EndArray)
}

func (w *memberWriter) number(name string, value int) {
	w.put(jsontext.String(name))
	w.put(jsontext.Int(int64(value)))
}

func (w *memberWriter) id(name string, value [16]byte) {
	text := ""
	if value != [16]byte{} {
		text = MemoryID(value).String()
	}
	w.text(name, text)
}

func (w *memberWriter) idIfAny(name string, value [16]byte) {
	if value != [16]byte{} {
		w.id(name, value)
	}
}

func (w *memberWriter) time(name string, value time.Time) {
	w.text(name, value.UTC().Format(timeLayout))
}

func (w *memberWriter) timeIfAny(name string, value time.Time) {
	if !value.IsZero() {
		w.time(name, value)
	}
}
