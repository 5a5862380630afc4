// Reads the descriptions of records for a lineage graph: service, owners, domains, tags and worst test status.
// Inherited data is read once for all records with the same parent.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
OPTIONAL MATCH (n)<-[:CONTAINS]-(parent:Entity)
WITH parent, collect(n) AS nodes
RETURN
  [n IN nodes | {
    id: n.id,
    owners: [(n)<-[:OWNS]-(o:Entity) WHERE NOT o.deleted |
      o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: 0}],
    domains: [(n)-[:IN_DOMAIN]->(o:Entity) WHERE NOT o.deleted |
      o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: 0}],
    tags: [(n)-[:TAGGED]->(tag:Entity) WHERE NOT tag.deleted | tag.fullyQualifiedName],
    testStatus: head([status IN ['Failed', 'Aborted', 'Queued', 'Success']
      WHERE EXISTS { (n)-[:CONTAINS]->(:LiveTestCase {testCaseStatus: status}) }])
  }] AS nodes,
  COLLECT {
    MATCH (parent)<-[:CONTAINS*0..50]-(top:Entity)
    WHERE NOT EXISTS { (top)<-[:CONTAINS]-(:Entity) }
    RETURN top{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .serviceType}
  } AS roots,
  COLLECT {
    MATCH path = (parent)<-[:CONTAINS*0..50]-(:Entity)<-[:OWNS]-(o:Entity)
    WHERE NOT o.deleted
    RETURN o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: length(path)}
  } AS owners,
  COLLECT {
    MATCH path = (parent)<-[:CONTAINS*0..50]-(:Entity)-[:IN_DOMAIN]->(o:Entity)
    WHERE NOT o.deleted
    RETURN o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: length(path)}
  } AS domains
