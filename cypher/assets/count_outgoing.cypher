// Counts the records that a record has an edge of one type to.
MATCH (n:Entity {id: $id})
MATCH (n)-[:${TYPE}]->(o:Entity)
WHERE NOT o.deleted
RETURN count(DISTINCT o) AS total
