// Counts the upstream and downstream neighbours of some records by type: those of visible types, and those whose
// visibility must be judged one by one. It also returns which implied neighbours these counts already include.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
RETURN
  row.at AS at,
  COUNT {
    MATCH (n)<-[:FEEDS]-(near:Entity)
    WHERE ($includeDeleted OR NOT near.deleted) AND NOT near.entityType IN $otherTypes
  } AS upstream,
  COUNT {
    MATCH (n)-[:FEEDS]->(near:Entity)
    WHERE ($includeDeleted OR NOT near.deleted) AND NOT near.entityType IN $otherTypes
  } AS downstream,
  COUNT {
    MATCH (n)-[:FEEDS]-(near:Entity)
    WHERE ($includeDeleted OR NOT near.deleted) AND near.entityType IN $judgedTypes
  } AS judged,
  [id IN row.before WHERE EXISTS { (n)<-[:FEEDS]-(:Entity {id: id}) }] AS before,
  [id IN row.after WHERE EXISTS { (n)-[:FEEDS]->(:Entity {id: id}) }] AS after
