// Lists the edges with column mappings among a limited number of edges, with the column pairs they join.
MATCH ()-[edge:FEEDS]->()
WITH edge
LIMIT toInteger($limit)
WITH edge, startNode(edge) AS from, endNode(edge) AS n
WHERE NOT (from.deleted OR n.deleted) AND NOT edge.detailsJson CONTAINS '"mappings":[]'
RETURN
  from{.id, .entityType, .fullyQualifiedName} AS from,
  n{.id, .entityType, .fullyQualifiedName} AS to,
  edge.detailsJson AS detailsJson,
  COLLECT {
    MATCH (one)-[pair:DERIVES]->(other)
    WHERE pair.edgeId = edge.id
    RETURN [
      CASE WHEN one.key IS NULL THEN one.name ELSE one.fullyQualifiedName END,
      CASE WHEN other.key IS NULL THEN other.name ELSE other.fullyQualifiedName END
    ]
  } AS pairs
