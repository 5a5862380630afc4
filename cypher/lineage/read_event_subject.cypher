// Reads the data of a lineage event about the record that the edge comes from.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
RETURN
  row.at AS at,
  n.version AS version,
  COLLECT {
    MATCH path = (n)<-[:CONTAINS*0..50]-(:Entity)<-[:OWNS]-(o:Entity)
    WHERE NOT o.deleted
    RETURN o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: length(path) - 1}
  } AS owners,
  COLLECT {
    MATCH path = (n)<-[:CONTAINS*0..50]-(:Entity)-[:IN_DOMAIN]->(d:Entity)
    WHERE NOT d.deleted
    RETURN d{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: length(path) - 1}
  } AS domains
