// Lists records whose documents could not be built or sent to Typesense, the latest failure first.
MATCH (mark:Dirty|Unsent)
WHERE mark.failedAt > 0 AND ($entityType IS NULL OR mark.entityType = $entityType)
WITH mark
ORDER BY mark.failedAt DESC, mark.entityId
SKIP toInteger($offset)
LIMIT toInteger($limit)
OPTIONAL MATCH (n:Entity {id: mark.entityId})
RETURN mark.entityId AS id, mark.entityType AS entityType, n.fullyQualifiedName AS fullyQualifiedName,
  mark.failure AS failure, mark.failedAt AS failedAt, mark.attempts AS attempts, mark.retryAt AS retryAt,
  CASE WHEN mark:Unsent THEN 'SINK' ELSE 'PROCESS' END AS stage
