// Events are read by time.
CREATE INDEX ChangeEvent_timestamp IF NOT EXISTS FOR (n:ChangeEvent) ON (n.timestamp)
