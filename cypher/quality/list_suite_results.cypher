// Lists how the living tests of suites went last, in the order of their names; those that never ran are left out.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_TEST]->(test:Entity)
WHERE NOT test.deleted AND test.testCaseStatus IS NOT NULL
WITH id, test ORDER BY test.fullyQualifiedName
RETURN id, {testCaseName: test.fullyQualifiedName, status: test.testCaseStatus, timestamp: test.resultAt} AS row
