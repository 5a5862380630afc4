// What happened to records of one kind is listed by time.
CREATE INDEX ChangeEvent_sort IF NOT EXISTS FOR (n:ChangeEvent) ON (n.entityType, n.eventType, n.place)
