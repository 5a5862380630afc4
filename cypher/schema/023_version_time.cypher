// The history of a kind is read by time.
CREATE INDEX Version_time IF NOT EXISTS FOR (n:Version) ON (n.entityType, n.at, n.entityId, n.version)
