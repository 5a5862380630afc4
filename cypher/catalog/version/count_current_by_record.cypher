// Tells of which records of one kind the present state was made in a stretch of time.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, updatedAt, id)
WHERE n.entityType = $entityType AND n.updatedAt >= $from AND n.updatedAt <= $to AND n.id > ''
RETURN n.id AS id, 1 AS total
