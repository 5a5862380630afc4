// Lists the records of some kinds that feed some records, and those that these feed.
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
