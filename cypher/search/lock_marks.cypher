// Takes marks for as long as the transaction goes on: whoever changes or marks one of the records waits for its end, or was waited for.
UNWIND $ids AS id
OPTIONAL MATCH (n:Entity {id: id})
SET n.entityType = n.entityType
WITH id
MATCH (mark:Dirty {entityId: id})
SET mark.isTaken = true
RETURN id, mark.entityType AS entityType, coalesce(mark.isStale, false) AS isStale
