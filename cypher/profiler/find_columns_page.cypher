// Finds the first sort key of the page of a table's columns that ends before a sort key, and the sort key before
// that.
MATCH (p:ColumnProfile)
USING INDEX SEEK p:ColumnProfile(tableId, place)
WHERE p.tableId = $id AND p.place >= $from AND p.place < $to
  AND EXISTS { (p)<-[:HAS_PROFILE]-(:Column) }
WITH p ORDER BY p.tableId DESC, p.place DESC
SKIP toInteger($skip) LIMIT 2
RETURN p.place AS place
