// Lists what sources presently state of the edges between some records: who, and when first and last.
UNWIND $pairs AS pair
MATCH (from:Entity {id: pair[0]})
MATCH (to:Entity {id: pair[1]})
WHERE NOT (from.deleted OR to.deleted)
MATCH (from)-[edge:FEEDS]->(to)
MATCH (said:Assertion {edgeId: edge.id})
WHERE said.until IS NULL
RETURN pair[0] AS from, pair[1] AS to, collect([said.source, said.createdAt, coalesce(said.seenAt, said.updatedAt)]) AS assertions
