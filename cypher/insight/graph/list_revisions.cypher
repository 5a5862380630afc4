// Lists a page of the living records of one kind by name, with numbers that grow with every change of a record and of
// the edges next to it. Unless all are wanted, only those with lineage count.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = $entityType AND n.fullyQualifiedName > $after
  AND NOT n.deleted
  AND ($withIsolated OR EXISTS { (n)-[:FEEDS]-() })
WITH n ORDER BY n.entityType, n.fullyQualifiedName
LIMIT toInteger($limit)
RETURN
  collect(n.id) AS ids,
  collect(n.revision + coalesce(n.edgeRevision, 0)) AS revisions,
  max(n.fullyQualifiedName) AS last
