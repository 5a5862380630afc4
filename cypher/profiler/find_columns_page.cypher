// Answers where a page of the columns of a table begins that ends before a place, and where the row before it lies.
MATCH (p:ColumnProfile)
USING INDEX SEEK p:ColumnProfile(tableId, place)
WHERE p.tableId = $id AND p.place >= $from AND p.place < $to
  AND EXISTS { (p)<-[:HAS_PROFILE]-(:Column) }
WITH p ORDER BY p.tableId DESC, p.place DESC
SKIP toInteger($skip) LIMIT 2
RETURN p.place AS place
