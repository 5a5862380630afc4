// Takes records of one kind out of those that live; what a person proved who they are with does not come back with them.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
REMOVE n:Live${LABEL}
WITH n, row
CALL (n) {
  MATCH (n)-[:HAS_SESSION|HAS_TOKEN]->(part)
  DETACH DELETE part
}
RETURN row.at AS at
