// Records what happened to records that are gone, and marks them for the search index.
UNWIND $rows AS row
CREATE (event:ChangeEvent:Unsequenced)
// Nothing of the record comes after it, so its number is beyond all revisions.
SET event = row.event, event.revision = 9007199254740991
MERGE (mark:Dirty {entityId: row.entityId})
SET mark.entityType = row.event.entityType, mark.revision = null
RETURN row.at AS at
