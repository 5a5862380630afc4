// Lists a page of the profiles of all tables between two sort keys, newest first.
MATCH (p:Profile)
USING INDEX SEEK p:Profile(place)
WHERE p.place >= $from AND p.place < $to
  AND NOT EXISTS { (p)<-[:HAS_PROFILE]-(:Spent) }
WITH p ORDER BY p.place
LIMIT toInteger($limit)
OPTIONAL MATCH (c:Column)-[:HAS_PROFILE]->(p)
WITH p, c ORDER BY p.place
RETURN p.place AS place, p.tableId AS tableId, c.key AS key, p.json AS json
