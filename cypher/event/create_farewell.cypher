// Records what happened to records that are gone, and marks them for the search index.
UNWIND $rows AS row
CREATE (event:ChangeEvent)
SET event = row.event
MERGE (mark:Dirty {entityId: row.entityId})
SET mark.entityType = row.event.entityType, mark.revision = null
RETURN row.at AS at
