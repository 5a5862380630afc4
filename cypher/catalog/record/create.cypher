// Creates records with their top-level columns and change events, and marks them for the search index.
UNWIND $rows AS row
CREATE (n:Entity:$([row.label, 'Live' + row.label]))
SET n = row.properties
FOREACH (column IN row.columns |
  // A column is a list, position, section, rest of the key, name, rest of the full name, data type: maps and texts spelled
  // out in full would be most of what travels.
  CREATE (n)-[:HAS_COLUMN {position: column[0]}]->(:Column {
    section: column[1],
    key: row.properties.id + column[2],
    name: column[3],
    fullyQualifiedName: row.properties.fullyQualifiedName + column[4],
    dataType: column[5]
  })
)
CREATE (:ChangeEvent:Unsequenced {
  id: row.event.id,
  eventType: row.event.eventType,
  entityType: row.event.entityType,
  entityId: row.event.entityId,
  userName: row.event.userName,
  timestamp: row.event.timestamp,
  json: row.event.json,
  copyId: row.event.copyId,
  ends: row.event.ends,
  traceparent: row.event.traceparent,
  revision: 1
})-[:ABOUT]->(n)
CREATE (:Dirty {entityId: row.event.entityId, entityType: row.event.entityType, revision: 1})
RETURN row.at AS at
