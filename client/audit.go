package client

import (
	"context"
	"strconv"
	"time"

	"github.com/loci-memory/loci"
)

// AuditEntry is one action or attempt in the audit trail, as the caller sees it.
type AuditEntry struct {
	ID string `json:"id" doc:"Identifies the entry in lists; no route takes it" example:"b3ZlciB0aGUgd2FsbA"`
	loci.AuditEntry
}

// AuditList is a page of the audit trail, newest first.
type AuditList struct {
	Entries []AuditEntry `json:"entries" nullable:"false"`
	More
}

// AuditConditions select entries of the audit trail. Zero fields match everything.
type AuditConditions struct {
	Action string      `query:"action" maxLength:"64" doc:"Only this action, such as memory.trash"`
	UserID loci.UserID `query:"user_id" format:"uuid" doc:"Only what this person did"`
	Denied bool        `query:"denied" doc:"Only rejected requests"`
	Since  time.Time   `query:"since" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"Only entries at or after this time"`
	Until  time.Time   `query:"until" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"Only entries before this time"`
}

// AuditQuery asks for a page of the audit trail.
type AuditQuery struct {
	AuditConditions
	Limit  int    // 0: 50; at most 500
	Cursor string // NextCursor of the previous page
}

// Audit returns one page of the org's audit trail: what the caller and their assistants did and, for admins, who
// administered the org.
func (c *Client) Audit(ctx context.Context, id loci.OrgID, q AuditQuery) (*AuditList, error) {
	v := values("action", q.Action, "user_id", idOf(q.UserID), "since", timeText(q.Since), "until", timeText(q.Until),
		"limit", number(q.Limit), "cursor", q.Cursor)
	if q.Denied {
		v.Set("denied", strconv.FormatBool(true))
	}
	return get[AuditList](ctx, c, query(org(id, "/audit"), v))
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}
