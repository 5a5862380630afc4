// Keeps results that are newer than all that tests have, lets the tests say how they went last, and marks them for the
// search index; unless somebody else has changed that since it was looked at. The lock is taken by the first SET, before
// anything is compared.
UNWIND $rows AS row
MATCH (test:Entity {id: row.id})
SET test.entityType = test.entityType
WITH test, row
WHERE NOT test.deleted AND coalesce(test.resultAt, -1) = coalesce(row.seenAt, -1)
  AND coalesce(test.testCaseStatus, '') = coalesce(row.seenStatus, '')
SET test.revision = test.revision + 1, test += row.changes
FOREACH (one IN row.results |
  // A result is a list, moment and text: maps would be most of what travels.
  CREATE (test)-[:HAS_RESULT]->(:TestResult {
    key: row.id + ':' + one[0],
    caseId: row.id,
    timestamp: toInteger(one[0]),
    json: one[1]
  })
)
MERGE (mark:Dirty {entityId: row.id})
SET mark.revision = test.revision, mark.entityType = test.entityType, mark.isStale = true
RETURN row.at AS at
