// Counts all profiles of the columns of a table, by the degree of each column node, except those between two sort
// keys.
MATCH (:Entity {id: $id})-[:HAS_COLUMN*1..100]->(c:Column)
// An expression that no index answers: the planner would otherwise begin with all columns that have profiles.
WHERE coalesce(c.profileSeries, '') <> ''
WITH sum(COUNT { (c)-[:HAS_PROFILE]->() }) AS whole
RETURN whole - COUNT {
  MATCH (p:ColumnProfile)
  USING INDEX SEEK p:ColumnProfile(tableId, place)
  WHERE p.tableId = $id AND p.place >= $from AND p.place < $to
    AND EXISTS { (p)<-[:HAS_PROFILE]-(:Column) }
} AS total
