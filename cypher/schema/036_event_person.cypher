// What one person did is listed by time.
CREATE INDEX ChangeEvent_person IF NOT EXISTS FOR (n:ChangeEvent) ON (n.userName, n.place)
