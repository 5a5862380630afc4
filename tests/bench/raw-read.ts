/** What lies above a record `n`, nearest first: what whoever reads or finds records by the bare driver reads as well. */
export const ANCESTORS = `COLLECT {
    MATCH path = (n)<-[:CONTAINS*1..50]-(a:Entity)
    WITH a, length(path) AS distance
    ORDER BY distance
    RETURN a{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .serviceType}
  } AS ancestors`;
