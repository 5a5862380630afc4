// Numbered events are listed by time.
CREATE INDEX ChangeEvent_place IF NOT EXISTS FOR (n:ChangeEvent) ON (n.place)
