// Lists the upstream and downstream neighbours whose types require the caller to judge visibility.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
RETURN
  row.at AS at,
  [
    (n)<-[:FEEDS]-(near:Entity)
    WHERE ($includeDeleted OR NOT near.deleted) AND near.entityType IN $judgedTypes |
    [near.id, near.entityType]
  ] AS upstream,
  [
    (n)-[:FEEDS]->(near:Entity)
    WHERE ($includeDeleted OR NOT near.deleted) AND near.entityType IN $judgedTypes |
    [near.id, near.entityType]
  ] AS downstream
