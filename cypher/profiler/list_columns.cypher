// Lists a page of the profiles of a table's columns between two sort keys, newest first.
MATCH (p:ColumnProfile)
USING INDEX SEEK p:ColumnProfile(tableId, place)
WHERE p.tableId = $id AND p.place >= $from AND p.place < $to
  AND EXISTS { (p)<-[:HAS_PROFILE]-(:Column) }
WITH p ORDER BY p.tableId, p.place
LIMIT toInteger($limit)
MATCH (c:Column)-[:HAS_PROFILE]->(p)
WITH p, c ORDER BY p.place
RETURN p.place AS place, p.tableId AS tableId, c.key AS key, p.json AS json
