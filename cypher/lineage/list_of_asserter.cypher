// Lists the edges that the one of that name, among those that share a source, currently asserts.
MATCH (said:Assertion {sourceName: $sourceName})
WHERE said.source = $source AND said.until IS NULL
MATCH (from:Entity {id: said.fromId})-[:FEEDS {id: said.edgeId}]->(to:Entity {id: said.toId})
RETURN from.id AS from, to.id AS to
