// Lists the living tests with a result of records and their columns, up to a limit per record.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COLLECT {
  MATCH (n)-[:CONTAINS]->(test:LiveTestCase)
  WHERE $status IS NULL OR test.testCaseStatus = $status
  WITH test LIMIT toInteger($limit)
  RETURN test{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .columnName, status: test.testCaseStatus}
} AS tests
