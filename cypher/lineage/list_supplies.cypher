// Lists how many edges lead from each service or data product of some kinds to others; where some records are named, only
// those that lead from or to them.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType IN $entityTypes AND n.fullyQualifiedName > '' AND ($ids IS NULL OR n.id IN $ids)
MATCH (n)-[supplies:SUPPLIES]-(:Entity)
WHERE supplies.view = $view
WITH DISTINCT supplies, CASE WHEN $includeDeleted THEN supplies.edges ELSE supplies.liveEdges END AS edges
WHERE edges > 0
RETURN startNode(supplies).id AS fromId, endNode(supplies).id AS toId, edges
LIMIT toInteger($limit)
