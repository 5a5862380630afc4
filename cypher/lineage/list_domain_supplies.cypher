// Lists how many edges lead between records that determine domains, by the record where they begin: a number of rows that
// follows from all pairs would take longer to read than to find.
MATCH (origin:Entity)-[supplies:SUPPLIES {view: 'domain'}]->(target:Entity)
WITH origin, target, CASE WHEN $includeDeleted THEN supplies.edges ELSE supplies.liveEdges END AS edges
WHERE edges > 0
WITH origin, target, edges
LIMIT toInteger($limit)
RETURN origin.id AS fromId, collect(target.id) AS toIds, collect(edges) AS edges
