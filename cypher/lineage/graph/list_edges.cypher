// Lists edges of the whole catalog up to a limit, with the time of their last confirmation.
MATCH ()-[edge:FEEDS]->()
WITH edge
LIMIT toInteger($limit)
WITH edge, startNode(edge) AS n, endNode(edge) AS to
WHERE NOT (n.deleted OR to.deleted)
RETURN
  n{.id, .entityType} AS from,
  to{.id, .entityType} AS to,
  edge.seenAt AS seenAt
