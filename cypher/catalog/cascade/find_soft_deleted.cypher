// Returns the rows of records whose dependent descendants are all deleted.
UNWIND $rows AS row
MATCH (root:Entity {id: row.id})
WHERE NOT EXISTS {
  MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){1,50} (below:Entity)
  WHERE NOT below.deleted
}
RETURN row.at AS at
