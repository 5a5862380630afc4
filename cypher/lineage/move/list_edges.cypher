// Lists the present and past edges of a record, or only those to and from some others, with all that was ever asserted
// about them.
MATCH (n:Entity {id: $id})-[edge:FEEDS|FED_UNTIL]-(other:Entity)
WHERE $others IS NULL OR other.id IN $others
WITH edge
LIMIT toInteger($limit)
RETURN
  startNode(edge).id AS from,
  endNode(edge).id AS to,
  type(edge) = 'FEEDS' AS isLive,
  edge{.*} AS edge,
  COLLECT {
    MATCH (said:Assertion {edgeId: edge.id})
    RETURN said{.*}
  } AS assertions
