// Lists a page of the records whose documents contain data of the given records, in the order of ids: records joined by
// an edge, contained records, and what the joined records contain.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
CALL (n) {
  MATCH (n)-[:OWNS|IN_DOMAIN|HAS_ASSET|REVIEWS|EXPERT_IN|HAS_MEMBER|HAS_ROLE|PARENT_OF|RELATED_TO|SHOWS|USES|MENTIONED_IN|HAS_INPUT|HAS_OUTPUT|HAS_TEST|DEFINED_BY|EXPECTS]-(near:Entity)
  RETURN near
  UNION
  MATCH (n)<-[:TAGGED]-(near:Entity)
  RETURN near
  UNION
  MATCH (n)<-[:TAGGED]-(column:Column)
  MATCH (near:Entity {id: substring(column.key, 0, 36)})
  RETURN near
  UNION
  MATCH (n)-[:CONTAINS]->(near:Entity)
  RETURN near
}
// Looks up the contents of each neighbour once, because many records share owners and domains.
WITH DISTINCT near
MATCH (near)-[:CONTAINS*0..50]->(teller:Entity)
WHERE teller.id > $after
WITH DISTINCT teller.id AS id
ORDER BY id
LIMIT toInteger($limit)
RETURN id
