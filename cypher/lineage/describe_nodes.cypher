// Answers what a graph of lineage tells of records: the service they are in, who owns them, their domains and labels.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN
  id,
  COLLECT {
    MATCH path = (n)<-[:CONTAINS*0..50]-(top:Entity)
    WHERE NOT EXISTS { (top)<-[:CONTAINS]-(:Entity) }
    RETURN top{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .serviceType}
  } AS roots,
  COLLECT {
    MATCH path = (n)<-[:CONTAINS*0..50]-(:Entity)<-[:OWNS]-(o:Entity)
    WHERE NOT o.deleted
    RETURN o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: length(path) - 1}
  } AS owners,
  COLLECT {
    MATCH path = (n)<-[:CONTAINS*0..50]-(:Entity)-[:IN_DOMAIN]->(o:Entity)
    WHERE NOT o.deleted
    RETURN o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: length(path) - 1}
  } AS domains,
  COLLECT {
    MATCH (n)-[:TAGGED]->(tag:Entity)
    WHERE NOT tag.deleted
    RETURN tag.fullyQualifiedName
  } AS tags
