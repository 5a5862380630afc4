// Creates results that are newer than all stored ones, stores the latest on the tests and marks these for the search
// index, unless the latest result has changed since it was read. The first SET takes the lock before anything is
// compared.
UNWIND $rows AS row
MATCH (test:Entity {id: row.id})
SET test.entityType = test.entityType
WITH test, row
WHERE NOT test.deleted AND coalesce(test.resultAt, -1) = coalesce(row.seenAt, -1)
  AND coalesce(test.testCaseStatus, '') = coalesce(row.seenStatus, '')
SET test.revision = test.revision + 1, test += row.changes
FOREACH (one IN row.results |
  // Each result is a list of timestamp, status and JSON text, because map keys would be most of the transferred data.
  CREATE (test)-[:HAS_RESULT]->(:TestResult {
    key: row.id + ':' + one[0],
    caseId: row.id,
    timestamp: toInteger(one[0]),
    status: one[1],
    json: one[2]
  })
)
MERGE (mark:Dirty {entityId: row.id})
SET mark.revision = test.revision, mark.entityType = test.entityType, mark.isStale = true
RETURN row.at AS at
