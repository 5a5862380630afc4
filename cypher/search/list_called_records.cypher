// Lists records of some kinds whose name, display name or fully qualified name equals one of some lower-case texts.
UNWIND $entityTypes AS entityType
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = entityType AND n.fullyQualifiedName >= ''
  AND (toLower(n.name) IN $texts OR toLower(n.displayName) IN $texts OR toLower(n.fullyQualifiedName) IN $texts)
RETURN entityType, n.id AS id, n.name AS name, n.displayName AS displayName, n.fullyQualifiedName AS fullyQualifiedName
