// Lists the edges into a record that one source currently asserts, or one of those that share it.
MATCH (from:Entity)-[edge:FEEDS]->(to:Entity {id: $id})
WHERE EXISTS {
  MATCH (said:Assertion {edgeId: edge.id})
  WHERE said.source = $source AND ($sourceName IS NULL OR said.sourceName = $sourceName) AND said.until IS NULL
}
RETURN from.id AS from, to.id AS to
