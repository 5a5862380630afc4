// The edges between policies and the names in their conditions were called NAMES before.
MATCH (source)-[former:NAMES]->(target)
CALL (source, former, target) {
  CREATE (source)-[edge:REFERENCES_NAME]->(target)
  SET edge = properties(former)
  DELETE former
} IN TRANSACTIONS OF 1000 ROWS
