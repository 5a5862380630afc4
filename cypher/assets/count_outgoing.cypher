// Counts the records joined to one by a type of edge.
MATCH (n:Entity {id: $id})
MATCH (n)-[:${TYPE}]->(o:Entity)
WHERE NOT o.deleted
RETURN count(DISTINCT o) AS total
