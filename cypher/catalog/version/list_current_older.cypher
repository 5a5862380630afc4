// Lists present states of records of one kind that were made in a stretch of time, newest first, after a place
// in that order. The place is told by a choice and not by alternatives: the planner would look those up one by one.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, updatedAt, id)
WHERE n.entityType = $entityType AND n.updatedAt >= $from AND n.updatedAt <= $to AND n.id > ''
  AND CASE n.updatedAt WHEN $at THEN n.id < $id OR (n.id = $id AND n.version < $version) ELSE true END
WITH n ORDER BY n.entityType DESC, n.updatedAt DESC, n.id DESC
LIMIT toInteger($limit)
RETURN n.id AS id, n.updatedAt AS at, n.version AS version
