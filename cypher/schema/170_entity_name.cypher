// Finds a record by its kind and name.
CREATE INDEX Entity_name IF NOT EXISTS FOR (n:Entity) ON (n.entityType, n.fullyQualifiedName)
