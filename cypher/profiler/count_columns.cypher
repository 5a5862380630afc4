// Counts the profiles of the columns of a table between two sort keys.
MATCH (p:ColumnProfile)
USING INDEX SEEK p:ColumnProfile(tableId, place)
WHERE p.tableId = $id AND p.place >= $from AND p.place < $to
  AND EXISTS { (p)<-[:HAS_PROFILE]-(:Column) }
RETURN count(p) AS total
