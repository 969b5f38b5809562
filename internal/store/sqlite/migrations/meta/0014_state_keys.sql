-- The keys that seal the state of sign-ins. A period is an hour since 1970.
CREATE TABLE state_keys (
	period INTEGER PRIMARY KEY NOT NULL,
	key    TEXT NOT NULL
) STRICT;
