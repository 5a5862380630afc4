// Lists the records of one kind in a scope without an owner of their own or of a parent, with the most neighbours
// first, among a limited number of examined records.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = $entityType AND n.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(n.fullyQualifiedName, size($scope), 1) IN ['', '.'])
  AND NOT n.deleted
WITH n
LIMIT toInteger($look)
WITH n, COUNT { (n)<-[:FEEDS]-() } AS upstream, COUNT { (n)-[:FEEDS]->() } AS downstream
WHERE upstream + downstream >= $least
// Who owns it is asked of these few only: whatever stands behind a limit is not asked before it.
WITH n, upstream, downstream
LIMIT toInteger($look)
WHERE NOT EXISTS {
    MATCH (n)<-[:CONTAINS*0..50]-(:Entity)<-[:OWNS]-(o:Entity)
    WHERE NOT o.deleted
  }
WITH n, upstream, downstream
ORDER BY upstream + downstream DESC, n.fullyQualifiedName
LIMIT toInteger($limit)
RETURN
  n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node,
  upstream,
  downstream
