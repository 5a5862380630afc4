// Lists the past column pairs of the columns of a record, by the common start of their keys.
MATCH (column:Column)
WHERE column.key STARTS WITH $prefix
MATCH (column)-[pair:DERIVED]-()
WITH pair
LIMIT toInteger($limit)
RETURN
  pair.edgeId AS edgeId,
  coalesce(startNode(pair).key, startNode(pair).id) AS from,
  coalesce(endNode(pair).key, endNode(pair).id) AS to,
  pair.since AS since,
  pair.until AS until
