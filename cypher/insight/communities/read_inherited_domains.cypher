// Reads the domains of some records and of what contains them, each with its distance.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COLLECT {
  MATCH path = (n)<-[:CONTAINS*0..50]-(:Entity)-[:IN_DOMAIN]->(domain:Entity)
  WHERE NOT domain.deleted
  RETURN {id: domain.id, distance: length(path)}
} AS domains
