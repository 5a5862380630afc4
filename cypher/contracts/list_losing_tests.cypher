// Lists live contracts that expect only tests among the given ones, each with its suite.
UNWIND $ids AS testId
MATCH (:Entity {id: testId})<-[:EXPECTS]-(contract:LiveDataContract)
WITH DISTINCT contract
WHERE NOT EXISTS {
  MATCH (contract)-[:EXPECTS]->(other)
  WHERE NOT other.id IN $ids
}
MATCH (contract)-[:PARENT_OF]->(suite:TestSuite)
RETURN contract.id AS id, contract.revision AS revision, suite.id AS suiteId
