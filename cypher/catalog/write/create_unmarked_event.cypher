// Creates change events that change nothing in the search documents of their records.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
// The record is locked before its revision is read, so that revisions rise from commit to commit.
SET n.entityType = n.entityType
CREATE (event:ChangeEvent:Unsequenced)-[:ABOUT]->(n)
SET event = row.event, event.revision = n.revision + coalesce(n.edgeRevision, 0)
RETURN row.at AS at
