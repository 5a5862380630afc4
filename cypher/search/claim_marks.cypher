// Locks records and their marks until the end of the transaction, so that changes and marks of these records wait for
// it.
UNWIND $ids AS id
OPTIONAL MATCH (n:Entity {id: id})
SET n.entityType = n.entityType
WITH id
MATCH (mark:Dirty {entityId: id})
SET mark.isTaken = true
RETURN id, mark.entityType AS entityType, coalesce(mark.isStale, false) AS isStale
