// Claims present edges that are to be counted anew: those that leave or enter some records or run through them, and
// single ones. The records are locked first, so that an edge that another transaction adds to one of them is either seen
// here or counted after this change.
UNWIND $rows AS row
OPTIONAL MATCH (n:Entity {id: row.id})
SET n.entityType = n.entityType
WITH row, n
CALL (row, n) {
  MATCH (n)-[edge:FEEDS]-(:Entity)
  RETURN edge
  UNION
  MATCH ()-[edge:FEEDS]->()
  USING INDEX edge:FEEDS(pipelineId)
  WHERE edge.pipelineId = row.id
  RETURN edge
  UNION
  MATCH (:Entity {id: row.from})-[edge:FEEDS]->(:Entity {id: row.to})
  RETURN edge
}
WITH DISTINCT edge
SET edge.awaitsCount = true
WITH count(*) AS claimed
UNWIND $rows AS row
RETURN row.at AS at
