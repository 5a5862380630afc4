// Creates records of one kind with their outermost columns, tells of them, and marks them for the search index.
UNWIND $rows AS row
CREATE (n:Entity:${LABEL}:Live${LABEL})
SET n = row.properties
FOREACH (column IN row.columns |
  CREATE (n)-[:HAS_COLUMN {position: column.position}]->(:Column {
    key: column.properties.key,
    section: column.properties.section,
    name: column.properties.name,
    fullyQualifiedName: column.properties.fullyQualifiedName,
    dataType: column.properties.dataType
  })
)
CREATE (:ChangeEvent {
  id: row.event.id,
  eventType: row.event.eventType,
  entityType: row.event.entityType,
  entityId: row.event.entityId,
  userName: row.event.userName,
  timestamp: row.event.timestamp,
  json: row.event.json
})-[:ABOUT]->(n)
CREATE (:Dirty {entityId: row.event.entityId, entityType: row.event.entityType, revision: 1})
RETURN row.at AS at
