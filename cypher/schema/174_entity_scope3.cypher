// Holds the records of each kind below an ancestor of level 3 in the order of lists.
CREATE INDEX Entity_scope3 IF NOT EXISTS FOR (n:Entity) ON (n.entityType, n.scope3, n.deleted, n.sortKey)
