// Whether an event is a difference from a copy is asked before the copy is removed.
CREATE INDEX ChangeEvent_copy IF NOT EXISTS FOR (n:ChangeEvent) ON (n.copyId)
