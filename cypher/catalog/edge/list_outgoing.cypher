// Returns the records to which an edge of one type leads from the given records.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})-[:${TYPE}]->(o:Entity)
WHERE row.kinds IS NULL OR o.entityType IN row.kinds
RETURN row.at AS at, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .teamType} AS ref
