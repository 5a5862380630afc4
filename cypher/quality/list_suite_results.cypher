// Lists the latest results of the live tests of suites, in the order of their names; tests that never ran are left
// out.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_TEST]->(test:Entity)
WHERE NOT test.deleted AND test.testCaseStatus IS NOT NULL
WITH id, test ORDER BY test.fullyQualifiedName
RETURN id, {testCaseName: test.fullyQualifiedName, status: test.testCaseStatus, timestamp: test.resultAt} AS row
