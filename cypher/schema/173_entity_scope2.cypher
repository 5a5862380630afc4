// Holds the records of each kind below an ancestor of level 2 in the order of lists.
CREATE INDEX Entity_scope2 IF NOT EXISTS FOR (n:Entity) ON (n.entityType, n.scope2, n.deleted, n.sortKey)
