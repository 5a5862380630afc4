// Holds the records of each kind in the order of lists.
CREATE INDEX Entity_list IF NOT EXISTS FOR (n:Entity) ON (n.entityType, n.deleted, n.sortKey)
