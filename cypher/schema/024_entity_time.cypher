// Present states belong to the history of their kind.
CREATE INDEX Entity_time IF NOT EXISTS FOR (n:Entity) ON (n.entityType, n.updatedAt, n.id)
