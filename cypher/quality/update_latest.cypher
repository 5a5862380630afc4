// Stores the latest result on tests, unless it has changed since it was read. The first SET takes the lock before
// anything is compared.
UNWIND $rows AS row
MATCH (test:Entity {id: row.id})
SET test.entityType = test.entityType
WITH test, row
WHERE NOT test.deleted AND coalesce(test.resultAt, -1) = coalesce(row.seenAt, -1)
  AND coalesce(test.testCaseStatus, '') = coalesce(row.seenStatus, '')
  AND (row.seenRevision IS NULL OR test.revision = row.seenRevision)
SET test.revision = test.revision + 1, test += row.changes
RETURN row.at AS at
