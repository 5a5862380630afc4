// Returns the records that an edge of one type joins to the given records in one direction.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})${IN}-[:${TYPE}]-${OUT}(o:Entity)
WHERE row.kinds IS NULL OR o.entityType IN row.kinds
RETURN row.at AS at, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .teamType} AS ref
