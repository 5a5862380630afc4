// Lets tests say how they went last, unless somebody else has changed that since it was looked at. The lock is taken by
// the first SET, before anything is compared.
UNWIND $rows AS row
MATCH (test:Entity {id: row.id})
SET test.entityType = test.entityType
WITH test, row
WHERE NOT test.deleted AND coalesce(test.resultAt, -1) = coalesce(row.seenAt, -1)
  AND coalesce(test.testCaseStatus, '') = coalesce(row.seenStatus, '')
  AND (row.seenRevision IS NULL OR test.revision = row.seenRevision)
SET test.revision = test.revision + 1, test += row.changes
RETURN row.at AS at
