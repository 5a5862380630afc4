// Returns the edges that enter and leave records, up to a limit for both directions together. When there are more, each
// direction gets at least half of the limit, plus what the other direction does not use.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
WITH row, toInteger($edges) AS most,
  COLLECT { MATCH (n)<-[edge:FEEDS]-(:Entity) RETURN edge LIMIT toInteger($edges) + 1 } AS above,
  COLLECT { MATCH (n)-[edge:FEEDS]->(:Entity) RETURN edge LIMIT toInteger($edges) + 1 } AS below
WITH row, size(above) + size(below) > most AS isCut,
  above[..CASE WHEN most - size(below) > most / 2 THEN most - size(below) ELSE most / 2 END] AS above,
  below[..CASE WHEN most - size(above) > most / 2 THEN most - size(above) ELSE most / 2 END] AS below
RETURN
  row.at AS at,
  isCut,
  [e IN above | [startNode(e).id, endNode(e).id, e.pipelineId, e.detailsJson]] AS above,
  [e IN below | [startNode(e).id, endNode(e).id, e.pipelineId, e.detailsJson]] AS below,
  // Without the names of their members: those are most of what would have to be read of a large answer.
  [n IN [e IN above | startNode(e)] + [e IN below | endNode(e)] |
    [n.id, n.entityType, n.name, n.fullyQualifiedName, n.displayName, n.description, n.deleted]] AS nodes
