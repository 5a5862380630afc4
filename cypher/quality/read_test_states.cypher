// Reads live tests by name, with their latest results.
UNWIND $rows AS row
MATCH (test:TestCase {fullyQualifiedName: row.fqn})
WHERE NOT test.deleted
RETURN row.at AS at, test.id AS id, test.fullyQualifiedName AS fullyQualifiedName, test.testCaseStatus AS status, test.resultAt AS resultAt,
  test.revision AS revision, head([(test)<-[:CONTAINS]-(table:Table) | table.id]) AS tableId,
  EXISTS { (test)<-[:EXPECTS]-(:LiveDataContract {isWaiting: true}) } AS isAwaited
