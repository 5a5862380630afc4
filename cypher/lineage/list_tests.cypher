// Lists the living tests of records and of their columns that have a result, some of each record.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COLLECT {
  MATCH (n)-[:CONTAINS]->(test:LiveTestCase)
  WHERE $status IS NULL OR test.testCaseStatus = $status
  WITH test LIMIT toInteger($limit)
  RETURN test{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .columnName, status: test.testCaseStatus}
} AS tests
