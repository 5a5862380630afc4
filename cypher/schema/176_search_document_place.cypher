// Holds the documents of each kind by name, for searches of everything.
CREATE INDEX SearchDoc_place IF NOT EXISTS FOR (n:SearchDoc) ON (n.entityType, n.deleted, n.nameSort, n.id)
