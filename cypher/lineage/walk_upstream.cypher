// Returns the edges of an upstream walk, nearest first, up to a limit. Walking one step less and returning the edges
// that enter the reached records costs a fraction of searching edges between two sets of records.
UNWIND $rows AS row
CALL (row) {
  UNWIND row.ids AS id
  MATCH (start:Entity {id: id})
  MATCH (start)<-[:FEEDS*0..${DEPTH}]-(near:Entity)
  WITH DISTINCT near
  LIMIT toInteger($nodes)
  MATCH (near)<-[edge:FEEDS]-(far:Entity)
  WITH near, edge, far
  LIMIT toInteger($edges)
  RETURN collect([far.id, near.id, edge.pipelineId, edge.detailsJson]) AS edges, collect(DISTINCT far) AS reached
}
RETURN row.at AS at, edges,
  // Without the names of their members: those are most of what would have to be read of a large answer.
  [n IN reached | [n.id, n.entityType, n.name, n.fullyQualifiedName, n.displayName, n.description, n.deleted]] AS nodes
