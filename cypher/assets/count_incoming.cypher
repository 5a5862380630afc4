// Counts the records with an edge of one type to a record.
MATCH (n:Entity {id: $id})
MATCH (n)<-[:${TYPE}]-(o:Entity)
WHERE NOT o.deleted
RETURN count(DISTINCT o) AS total
