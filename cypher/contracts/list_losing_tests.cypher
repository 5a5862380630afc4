// Lists live contracts that expect some of the given tests; with its suite each that expects no other test.
UNWIND $ids AS testId
MATCH (:Entity {id: testId})<-[:EXPECTS]-(contract:LiveDataContract)
WITH DISTINCT contract
OPTIONAL MATCH (contract)-[:PARENT_OF]->(suite:TestSuite)
WHERE NOT EXISTS {
  MATCH (contract)-[:EXPECTS]->(other)
  WHERE NOT other.id IN $ids
}
RETURN contract.id AS id, contract.revision AS revision, suite.id AS suiteId
