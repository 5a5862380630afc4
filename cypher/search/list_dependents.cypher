// Lists some of those records whose documents tell of some others, in the order of their ids: what an edge joins to one of these, what lies in it, and what lies in what an edge joins to it.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
CALL (n) {
  MATCH (n)-[:OWNS|IN_DOMAIN|HAS_ASSET|REVIEWS|EXPERT_IN|HAS_MEMBER|HAS_ROLE|PARENT_OF|RELATED_TO|SHOWS|USES|MENTIONED_IN|HAS_INPUT|HAS_OUTPUT|HAS_TEST|DEFINED_BY]-(near:Entity)
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
// Many are owned by the same people, and what lies in their domain is looked for once.
WITH DISTINCT near
MATCH (near)-[:CONTAINS*0..50]->(teller:Entity)
WHERE teller.id > $after
WITH DISTINCT teller.id AS id
ORDER BY id
LIMIT toInteger($limit)
RETURN id
