// Marks the suites of tests stale, because their documents count tests by status.
UNWIND $rows AS row
MATCH (:Entity {id: row.testId})<-[:HAS_TEST]-(suite:Entity)
WITH DISTINCT suite, row.at AS at
SET suite.entityType = suite.entityType
MERGE (mark:Dirty {entityId: suite.id})
SET mark.revision = suite.revision, mark.entityType = suite.entityType, mark.isStale = true
RETURN DISTINCT at
