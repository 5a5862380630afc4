// Returns the rows of records that have no descendants left that were deleted together with them.
UNWIND $rows AS row
MATCH (root:Entity {id: row.id})
WHERE NOT EXISTS {
  MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){1,50} (below:Entity)
  WHERE below.deleted AND below.deletedWith = root.id
}
RETURN row.at AS at
