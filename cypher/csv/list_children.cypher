// Lists live records of one kind between two names, by name, each with the values that a CSV file contains; pages are
// shorter when records have many columns. Inherited values are not exported, so ancestors are not read.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = $entityType AND n.fullyQualifiedName > $edge AND n.fullyQualifiedName < $end
  AND NOT n.deleted
WITH n ORDER BY n.entityType, n.fullyQualifiedName
LIMIT toInteger($limit)
WITH collect(n) AS found
WITH found, reduce(
  page = {rows: 0, weight: 0}, n IN found |
  CASE
    WHEN page.weight >= $weight THEN page
    ELSE {rows: page.rows + 1, weight: page.weight + size(coalesce(n.columnsJson, ''))}
  END
) AS page
UNWIND found[0..page.rows] AS n
RETURN
  n{
    .id, .name, .fullyQualifiedName, .displayName, .description, .retentionPeriod, .sourceUrl, .columnsJson,
    .storedProcedureCodeJson, .certificationJson, .extensionJson
  } AS node,
  COLLECT {
    MATCH (n)<-[:OWNS]-(o:Entity)
    RETURN o{.id, .entityType, .name, .fullyQualifiedName, .deleted, distance: 0}
  } AS owners,
  COLLECT {
    MATCH (n)-[:IN_DOMAIN]->(o:Entity)
    RETURN o{.id, .entityType, .name, .fullyQualifiedName, .deleted, distance: 0}
  } AS domains,
  COLLECT {
    MATCH (n)-[label:TAGGED]->(t:Entity)
    WHERE NOT t.deleted
    RETURN label{.source, .labelType, .state, tagId: t.id, tagFQN: t.fullyQualifiedName, name: t.name, entityType: t.entityType}
  } AS tags,
  CASE WHEN n.columnsUntagged OR n.columnsJson IS NULL THEN [] ELSE COLLECT {
    MATCH (n)-[:HAS_COLUMN*1..100]->(c:Column)-[label:TAGGED]->(t:Entity)
    WHERE NOT t.deleted
    RETURN label{.source, .labelType, .state, columnKey: c.key, tagId: t.id, tagFQN: t.fullyQualifiedName, name: t.name, entityType: t.entityType}
  } END AS columnTags
