// Reads the domains of records: their own, or those of the nearest record above them that has some.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
WITH n, COLLECT {
  MATCH way = (n)<-[:CONTAINS*0..50]-(:Entity)-[:IN_DOMAIN]->(domain:Entity)
  WHERE NOT domain.deleted
  RETURN {id: domain.id, distance: length(way)}
} AS found
WITH n, found, reduce(nearest = 99, one IN found | CASE WHEN one.distance < nearest THEN one.distance ELSE nearest END) AS nearest
WHERE size(found) > 0
RETURN n.id AS id, [one IN found WHERE one.distance = nearest | one.id] AS domainIds
