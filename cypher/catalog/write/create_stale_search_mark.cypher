// Marks records whose documents contain data that has changed elsewhere. The record is locked before its mark is looked
// up, because a write to a mark that was just removed would be lost silently.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
SET n.entityType = n.entityType
MERGE (mark:Dirty {entityId: row.entityId})
SET mark.revision = n.revision, mark.entityType = n.entityType, mark.isStale = true
RETURN row.at AS at
