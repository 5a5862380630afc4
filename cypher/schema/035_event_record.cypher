// What happened to one record is listed by time.
CREATE INDEX ChangeEvent_record IF NOT EXISTS FOR (n:ChangeEvent) ON (n.entityId, n.place)
