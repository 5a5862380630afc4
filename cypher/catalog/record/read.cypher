// Returns records by id, each with the relations that its row requests; it does not read others. One statement serves
// all kinds, because the database needs a quarter of a second to plan it.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
WHERE n.entityType = row.entityType
// Each revision is read before what it covers: a change in between then makes the answer look older, never newer.
WITH row, n, n.revision AS revision
RETURN
  row.at AS at,
  n{.*, revision: revision} AS node,
  [(n)<-[:CONTAINS*1..50]-(a:Entity) |
    a{.revision, .id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .serviceType}
  ] AS ancestors,
  CASE WHEN row.owners THEN COLLECT {
    MATCH path = (n)<-[:CONTAINS*0..50]-(:Entity)<-[:OWNS]-(o:Entity)
    RETURN o{.revision, .id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: length(path) - 1}
  } END AS owners,
  CASE WHEN row.domains THEN COLLECT {
    MATCH path = (n)<-[:CONTAINS*0..50]-(:Entity)-[:IN_DOMAIN]->(o:Entity)
    RETURN o{.revision, .id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: length(path) - 1}
  } END AS domains,
  CASE WHEN row.dataProducts THEN COLLECT {
    MATCH (n)<-[:HAS_ASSET]-(o:Entity)
    RETURN o{.revision, .id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}
  } END AS dataProducts,
  CASE WHEN row.followers THEN COLLECT {
    MATCH (n)<-[:FOLLOWS]-(o:Entity)
    RETURN o{.revision, .id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}
  } END AS followers,
  CASE WHEN row.votes THEN COLLECT {
    MATCH (n)<-[vote:VOTED]-(o:Entity)
    RETURN o{.revision, .id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, vote: vote.type}
  } END AS voters,
  CASE WHEN row.tags THEN COLLECT {
    MATCH (n)-[label:TAGGED]->(t:Entity)
    RETURN label{tagRevision: t.revision, tagDeleted: t.deleted, .*, tagId: t.id, tagFQN: t.fullyQualifiedName, name: t.name, displayName: t.displayName, description: t.description, styleJson: t.styleJson, entityType: t.entityType}
  } END AS tags,
  CASE
    WHEN NOT row.tags THEN null
    WHEN n.columnsUntagged THEN []
    ELSE COLLECT {
      MATCH (n)-[:HAS_COLUMN*1..100]->(c:Column)-[label:TAGGED]->(t:Entity)
      RETURN label{tagRevision: t.revision, tagDeleted: t.deleted, .*, columnKey: c.key, tagId: t.id, tagFQN: t.fullyQualifiedName, name: t.name, displayName: t.displayName, description: t.description, styleJson: t.styleJson, entityType: t.entityType}
    }
  END AS columnTags
