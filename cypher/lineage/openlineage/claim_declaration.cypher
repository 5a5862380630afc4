// Claims for a declaration the lineage of records of which no later one was declared.
UNWIND $rows AS row
MATCH (owner:Entity {id: row.id})
// The record is locked before its time is read.
SET owner.id = owner.id
WITH row, owner
WHERE coalesce(owner.lineageDeclaredAt, row.declaredAt) <= row.declaredAt
SET owner.lineageDeclaredAt = row.declaredAt
RETURN row.at AS at
