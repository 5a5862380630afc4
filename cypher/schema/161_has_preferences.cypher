// The edges between people and their preferences were called PREFERS before.
MATCH (source)-[former:PREFERS]->(target)
CALL (source, former, target) {
  CREATE (source)-[edge:HAS_PREFERENCES]->(target)
  SET edge = properties(former)
  DELETE former
} IN TRANSACTIONS OF 1000 ROWS
