// Lists records of one kind that are not deleted, in name order, between two names.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = $entityType AND n.fullyQualifiedName > $edge AND n.fullyQualifiedName < $end
  AND NOT n.deleted
WITH n ORDER BY n.entityType, n.fullyQualifiedName
LIMIT toInteger($limit)
RETURN n.id AS id, n.fullyQualifiedName AS fullyQualifiedName
