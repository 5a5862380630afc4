// Answers how many records feed each of some records and how many each feeds, as far as their kinds tell that somebody may
// see them; how many others there are, of which each must be judged; and which of those that are implied are counted.
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
