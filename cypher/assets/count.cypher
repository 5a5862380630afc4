// Counts the records that an edge of one type joins to a record in one direction.
MATCH (n:Entity {id: $id})
MATCH (n)${IN}-[:${TYPE}]-${OUT}(o:Entity)
WHERE NOT o.deleted
RETURN count(DISTINCT o) AS total
