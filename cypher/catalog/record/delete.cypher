// Hard-deletes records with their columns, history, other owned nodes and edges, unless a record has gained descendants
// or another record requires it.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.entityType = n.entityType
WITH n, row
WHERE NOT EXISTS { (n)-[:CONTAINS]->(:Entity) }
  AND NOT EXISTS { (n)-[:PARENT_OF]->(c WHERE COUNT { (c)<-[:PARENT_OF]-() } = 1) }
  AND NOT EXISTS { (n)<-[:DEFINED_BY]-(:Entity) }
CALL (n) {
  MATCH (n)-[:HAS_COLUMN*0..100]->(measured)-[:HAS_PROFILE]->(p)
  DETACH DELETE p
}
CALL (n) {
  MATCH (n)-[:HAS_COLUMN*1..100]->(c:Column)
  DETACH DELETE c
}
CALL (n) {
  MATCH (n)-[:HAS_VERSION|HAS_RESULT|IMPORTED_FROM|HAS_USAGE|HAS_COST|REFERENCES_NAME|HAS_PREFERENCES|HAS_SESSION|HAS_TOKEN|HAS_IDENTITY|HAS_DELIVERY]->(part WHERE NOT part:Entity)
  DETACH DELETE part
}
CALL (n) {
  MATCH (n)-[edge:FEEDS|FED_UNTIL]-()
  MATCH (said:Assertion {edgeId: edge.id})
  DETACH DELETE said
}
CALL (n) {
  MATCH (said:Assertion {pipelineId: n.id})
  SET said.pipelineId = null
  WITH DISTINCT said.fromId AS fromId, said.toId AS toId
  MATCH (:Entity {id: fromId})-[edge:FEEDS {pipelineId: n.id}]->(:Entity {id: toId})
  // What another source says of it is the next best word.
  SET edge.revision = edge.revision + 1, edge.pipelineId = head(COLLECT {
    MATCH (other:Assertion {edgeId: edge.id})
    WHERE other.until IS NULL AND other.pipelineId IS NOT NULL
    RETURN other.pipelineId
    ORDER BY other.order DESC
    LIMIT 1
  })
}
CALL (n) {
  // The index still leads to a deleted edge within the transaction.
  MATCH (n)-[edge:FEEDS]-()
  SET edge.awaitsCount = null
}
CALL (n) {
  MATCH (n)<-[:CONCERNS]-(intent:Intent)
  DETACH DELETE intent
}
CALL (n) {
  MATCH (doc:SearchDoc {id: n.id})
  DELETE doc
}
DETACH DELETE n
RETURN row.at AS at
