// The edges between records and what was made from them were called FED before.
MATCH (source)-[former:FED]->(target)
CALL (source, former, target) {
  CREATE (source)-[edge:FED_UNTIL]->(target)
  SET edge = properties(former)
  DELETE former
} IN TRANSACTIONS OF 1000 ROWS
