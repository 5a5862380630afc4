// Lists the tests of a table and of its columns, each with its column.
MATCH (:Entity {id: $id})-[:CONTAINS]->(test:TestCase)
OPTIONAL MATCH (test)-[:TESTS]->(column:Column)
RETURN test.id AS id, test.name AS name, test.fullyQualifiedName AS fullyQualifiedName, test.entityFQN AS entityFQN,
  test.deleted AS deleted, test.deletedWith AS deletedWith, column.key AS columnKey,
  test.testCaseResultJson AS resultJson
