// Holds the records of each kind below an ancestor of level 1 in the order of lists.
CREATE INDEX Entity_scope1 IF NOT EXISTS FOR (n:Entity) ON (n.entityType, n.scope1, n.deleted, n.sortKey)
