// Lists present states of records of one kind that were made in a stretch of time, after a position in ascending or
// descending order. The position is given by a choice and not by alternatives: the planner would look those up one by
// one.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, updatedAt, id)
WHERE n.entityType = $entityType AND n.updatedAt >= $from AND n.updatedAt <= $to AND n.id > ''
  AND CASE n.updatedAt WHEN $at THEN n.id ${AFTER} $id OR (n.id = $id AND n.version ${AFTER} $version) ELSE true END
WITH n ORDER BY n.entityType${ORDER}, n.updatedAt${ORDER}, n.id${ORDER}
LIMIT toInteger($limit)
RETURN n.id AS id, n.updatedAt AS at, n.version AS version
