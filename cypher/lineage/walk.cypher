// Returns the edges of an upstream or downstream walk, nearest first, up to a limit. Walking one step less and returning
// the edges beyond the reached records costs a fraction of searching edges between two sets of records.
UNWIND $rows AS row
CALL (row) {
  UNWIND row.ids AS id
  MATCH (start:Entity {id: id})
  MATCH (start)${IN}-[:FEEDS*0..${DEPTH}]-${OUT}(near:Entity)
  WITH DISTINCT near
  LIMIT toInteger($nodes)
  MATCH (near)${IN}-[edge:FEEDS]-${OUT}(far:Entity)
  WITH near, edge, far
  LIMIT toInteger($edges)
  RETURN collect([${FROM}.id, ${TO}.id, edge.pipelineId, edge.detailsJson]) AS edges, collect(DISTINCT far) AS reached
}
RETURN row.at AS at, edges,
  // Without the names of their members: those are most of what would have to be read of a large answer.
  [n IN reached | [n.id, n.entityType, n.name, n.fullyQualifiedName, n.displayName, n.description, n.deleted,
    n.revision + coalesce(n.edgeRevision, 0)]] AS nodes
