// Holds the records of each kind below an ancestor of level 4 in the order of lists.
CREATE INDEX Entity_scope4 IF NOT EXISTS FOR (n:Entity) ON (n.entityType, n.scope4, n.deleted, n.sortKey)
