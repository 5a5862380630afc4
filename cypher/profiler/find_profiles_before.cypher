// Lists the profiles of all tables before a sort key in descending order, with their tables.
MATCH (p:Profile)
USING INDEX SEEK p:Profile(place)
WHERE p.place >= $from AND p.place < $to
  AND NOT EXISTS { (p)<-[:HAS_PROFILE]-(:Spent) }
WITH p ORDER BY p.place DESC
LIMIT toInteger($limit)
RETURN p.place AS place, p.tableId AS tableId
