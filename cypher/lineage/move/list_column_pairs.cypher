// Lists the column pairs of present edges. What stands for a column has an ID instead of a key.
UNWIND $edgeIds AS edgeId
MATCH (from)-[pair:DERIVES {edgeId: edgeId}]->(to)
WITH edgeId, from, to, pair
LIMIT toInteger($limit)
RETURN
  edgeId,
  coalesce(from.key, from.id) AS from,
  coalesce(to.key, to.id) AS to,
  coalesce(from.key, from.name) + '\n' + coalesce(to.key, to.name) AS label,
  pair.since AS since
