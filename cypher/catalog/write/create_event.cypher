// Creates change events for existing records, and marks the records for the search index.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
// The record is locked before its mark is looked up, so that nobody can remove the mark in between.
SET n.entityType = n.entityType
CREATE (event:ChangeEvent:Unsequenced)-[:ABOUT]->(n)
// Changes of the record and of its edges share one order.
SET event = row.event, event.revision = n.revision + coalesce(n.edgeRevision, 0)
MERGE (mark:Dirty {entityId: row.entityId})
SET mark.revision = n.revision, mark.entityType = n.entityType
RETURN row.at AS at
