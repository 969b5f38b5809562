-- How long an org keeps its events: {"days": 365, "types": [{"event_type": "tool_call", "days": 30}]}.
ALTER TABLE orgs ADD COLUMN events_retention TEXT NOT NULL DEFAULT '{}' CHECK (json_type(events_retention) = 'object');

-- Whether nothing may delete events of the org.
ALTER TABLE orgs ADD COLUMN legal_hold INTEGER NOT NULL DEFAULT 0 CHECK (legal_hold IN (0, 1));
