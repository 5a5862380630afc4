// Answers by their ids and types the records that feed a record, and those it feeds.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
RETURN
  row.at AS at,
  [(n)<-[:FEEDS]-(near:Entity) WHERE $includeDeleted OR NOT near.deleted | [near.id, near.entityType]] AS upstream,
  [(n)-[:FEEDS]->(near:Entity) WHERE $includeDeleted OR NOT near.deleted | [near.id, near.entityType]] AS downstream
