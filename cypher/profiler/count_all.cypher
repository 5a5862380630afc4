// Counts the profiles of each table between two sort keys.
MATCH (p:Profile)
USING INDEX SEEK p:Profile(place)
WHERE p.place >= $from AND p.place < $to
  AND NOT EXISTS { (p)<-[:HAS_PROFILE]-(:Spent) }
RETURN p.tableId AS tableId, count(p) AS total
