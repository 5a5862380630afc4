// Counts present states of records of one kind that were made in a stretch of time.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, updatedAt, id)
WHERE n.entityType = $entityType AND n.updatedAt >= $from AND n.updatedAt <= $to AND n.id > ''
RETURN count(n) AS total
